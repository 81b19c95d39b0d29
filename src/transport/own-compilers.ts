const unasked = (): never => {
  throw new Error('an app that sets no validator and serializer of its own has none')
}

/** Fastify's `schemaController` of our apps, which set their own compilers: Fastify's (ajv, fast-json-stringify) are not even in dist/. */
export const ownCompilers = { compilersFactory: { buildValidator: unasked, buildSerializer: unasked } }
