import packageJson from '../../../package.json' with { type: 'json' }

/** The version in package.json. The bundler copies it into dist/. */
export const { version } = packageJson
