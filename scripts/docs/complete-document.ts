import { descriptions } from './descriptions.ts'
import { jsonBodies, otherBodies, shapes } from './examples.ts'
import { addReplyExample, byOperation, errorsByName } from './reply-examples.ts'

type Json = Record<string, unknown>
interface Described extends Json {
  $ref?: string
  description?: string
}
interface Media extends Json {
  schema?: Described
}
type Content = Record<string, Media>

interface Operation {
  description?: string
  parameters?: { schema?: Described; description?: string }[]
  requestBody?: { content: Content }
  responses?: Record<string, { content?: Content }>
}
interface Document {
  components: { schemas: Record<string, Described>; examples?: Record<string, object> }
  paths?: Record<string, Record<string, Operation>>
}

/** What a document says about its operations, by their names. */
export interface Examples {
  descriptions: Record<string, string>
  jsonBodies: Record<string, object>
  /** by operation and status */
  replies: Record<string, unknown>
}
const ofService: Examples = { descriptions, jsonBodies, replies: byOperation }

const nameOf = (reference: string) => reference.slice(reference.lastIndexOf('/') + 1).replace('#', '')

/**
 * Completes the document in place. A property or parameter that is a reference gets the first line of the description of its target, so
 * that readers need not follow it. Bodies and the schemas of replies get their examples.
 */
export function completeDocument(document: Document, examples: Examples = ofService): void {
  const { schemas } = document.components
  for (const [name, example] of Object.entries(shapes)) {
    if (schemas[name]) schemas[name].examples = [structuredClone(example)]
  }
  const describe = (schema: Described | undefined) => {
    const target = schema?.$ref === undefined ? undefined : schemas[nameOf(schema.$ref)]
    const [meaning] = String(target?.description ?? '').split('\n')
    return meaning || undefined
  }
  eachProperty(document, (property) => {
    const meaning = describe(property)
    if (meaning) property.description = meaning
  })
  if (document.paths) document.components.examples = errorsByName()
  for (const [path, methods] of Object.entries(document.paths ?? {})) {
    for (const [method, operation] of Object.entries(methods)) {
      for (const parameter of operation.parameters ?? []) {
        const meaning = parameter.description ?? describe(parameter.schema)
        if (meaning) parameter.description = meaning
      }
      const name = `${method.toUpperCase()} ${path}`
      const description = examples.descriptions[name]
      if (description !== undefined) operation.description = description
      addExamples(operation, examples.jsonBodies[name])
      for (const [status, { content = {} }] of Object.entries(operation.responses ?? {})) {
        if (content['application/json']) addReplyExample(name, status, content['application/json'], examples.replies)
      }
    }
  }
}

/** Calls `take` with the schema of every property, at any depth. */
function eachProperty(value: unknown, take: (property: Described) => void): void {
  if (typeof value !== 'object' || value === null) return
  for (const [key, part] of Object.entries(value as Json)) {
    const isFields = key === 'properties' && typeof part === 'object'
    if (isFields) for (const property of Object.values(part as Record<string, Described>)) take(property)
    eachProperty(part, take)
  }
}

function addExamples({ requestBody }: Operation, jsonBody: object | undefined): void {
  for (const [type, media] of Object.entries(requestBody?.content ?? {})) {
    const example = type === 'application/json' ? jsonBody : otherBodies[type]
    if (example !== undefined) media.example = structuredClone(example)
  }
}
