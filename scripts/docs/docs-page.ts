import { readFileSync } from 'node:fs'
import { parse } from 'yaml'
import { pageManual } from './page-manual.ts'

/** The page of GET /docs: the API as one self-contained page; `contract`: openapi.yaml. */
export function docsPage(contract: string): string {
  const { info, paths, components } = parse(contract) as Document
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ name: `${method.toUpperCase()} ${path}`, operation })),
  )
  const schemas = Object.entries(components.schemas)
  return [
    '<!doctype html>',
    '<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">',
    `<title>${escape(info.title)} ${escape(info.version)}: the contract</title><style>${style}</style></head><body>`,
    `<h1>${escape(info.title)} ${escape(info.version)}</h1><p>${escape(info.summary)}. Programs read `,
    '<code>GET /openapi.yaml</code>. Every call needs a token, <code>authorization: Bearer …</code>, except those marked “no token”.</p>',
    `<nav><ul>${operations.map(toLink).join('')}</ul></nav>`,
    pageManual((name) => `<a href="#${anchorOf(name)}">${escape(name)}</a>`),
    ...operations.map(toSection),
    '<h2>Shapes</h2>',
    ...schemas.map(
      ([name, schema]) => `<section id="${escape(name)}"><h3>${escape(name)}</h3>${toTable(schema)}</section>`,
    ),
    '</body></html>',
    '',
  ].join('\n')
}

interface Schema {
  $ref?: string
  type?: string
  enum?: unknown[]
  const?: unknown
  anyOf?: Schema[]
  allOf?: Schema[]
  items?: Schema
  properties?: Record<string, Schema>
  required?: string[]
  description?: string
  [bound: string]: unknown
}

interface Content {
  description?: string
  content?: Record<string, { schema?: Schema }>
}

interface Operation {
  summary?: string
  description?: string
  security?: unknown[]
  parameters?: { name: string; in: string; required?: boolean; description?: string; schema?: Schema }[]
  requestBody?: Content
  responses?: Record<string, Content>
}

interface Document {
  info: { title: string; version: string; summary: string }
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Schema> }
}

interface Named {
  name: string
  operation: Operation
}

const escape = (text: unknown) => String(text).replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`)
const anchorOf = (name: string) => name.toLowerCase().replace(/[^a-z]+/g, '-')
const toLink = ({ name, operation: { summary = '' } }: Named) =>
  `<li><a href="#${anchorOf(name)}">${escape(name)}</a> ${escape(summary)}</li>`

function toSection({ name, operation }: Named): string {
  const { summary = '', description, security, parameters = [], requestBody, responses = {} } = operation
  const isPublic = security?.length === 0
  const fields = parameters.map(({ name, in: where, required = false, schema = {}, description }) =>
    toRow(`${name} <small>${where}</small>`, { ...schema, ...(description && { description }) }, required),
  )
  return [
    `<section id="${anchorOf(name)}"><h2>${escape(name)}</h2><p>${escape(summary)}${isPublic ? ' (no token)' : ''}</p>`,
    description ? `<p>${escape(description)}</p>` : '',
    fields.length > 0 ? `<table>${fields.join('')}</table>` : '',
    requestBody ? `<h4>Body</h4>${toBody(requestBody)}` : '',
    ...Object.entries(responses).map(
      ([status, one]) =>
        `<h4>${escape(status)} ${escape(one.description ?? '').replace('Default Response', '')}</h4>${toBody(one)}`,
    ),
    '</section>',
  ].join('')
}

const toBody = ({ content = {} }: Content) =>
  Object.entries(content)
    .map(
      ([type, { schema = {} }]) =>
        (type === 'application/json' ? '' : `<p><code>${escape(type)}</code></p>`) + toTable(schema),
    )
    .join('')

/** The fields of an object; for any other schema its type. */
function toTable(schema: Schema): string {
  const rows = rowsOf(schema, '')
  if (rows.length > 0) return `<table>${rows.join('')}</table>`
  return `<p>${[typeOf(schema), escape(schema.description ?? '')].filter(Boolean).join(': ')}</p>`
}

/** One row for each field, followed by its own fields with dotted names. */
function rowsOf({ properties = {}, required = [] }: Schema, prefix: string): string[] {
  return Object.entries(properties).flatMap(([name, schema]) => [
    toRow(prefix + escape(name), schema, required.includes(name)),
    ...rowsOf(schema, `${prefix}${escape(name)}.`),
    ...rowsOf(schema.items ?? {}, `${prefix}${escape(name)}[].`),
  ])
}

const toRow = (name: string, schema: Schema, isRequired: boolean) =>
  // HTML allows the omission of the end tags of cells and rows
  `<tr><td><code>${name}</code>${isRequired ? ' *' : ''}</td><td>${typeOf(schema)}</td><td>${escape(schema.description ?? '')}`

function typeOf(schema: Schema): string {
  const { $ref, enum: words, const: only, anyOf, allOf, items, type = '' } = schema
  if ($ref) return linkTo($ref.slice($ref.lastIndexOf('/') + 1))
  if (words) return words.map((word) => `<code>${escape(word)}</code>`).join(' ')
  if (only !== undefined) return `<code>${escape(JSON.stringify(only))}</code>`
  if (anyOf) return [...new Set(anyOf.map(typeOf))].join(' or ')
  if (allOf) return allOf.map(typeOf).join(' and ')
  return [items ? `list of ${typeOf(items)}` : escape(type), ...boundsOf(schema)].join(' ')
}

const linkTo = (name: string) => `<a href="#${escape(name)}">${escape(name)}</a>`

const bounds: Record<string, string> = {
  minimum: '≥',
  exclusiveMinimum: '&gt;',
  maximum: '≤',
  maxItems: 'at most',
  maxLength: 'at most',
}
const boundsOf = (schema: Schema) =>
  Object.entries(bounds).flatMap(([key, sign]) => (key in schema ? [`${sign} ${escape(schema[key])}`] : []))

/** The colours of the page at /, some of which this page uses. */
const colours = readFileSync(new URL('../../src/web/style/colours.css', import.meta.url), 'utf8')
const colour = (name: string) => new RegExp(`--${name}: [^;]+;`).exec(colours)![0].replace(': ', ':')

const style = [
  `:root{color-scheme:light dark;${['ground', 'surface', 'line', 'text', 'dim', 'accent'].map(colour).join('')}}`,
  'body{font:1rem/1.5 system-ui,sans-serif;max-width:60rem;margin:auto;padding:1rem;background:var(--ground);color:var(--text)}',
  'code,h2{font-family:ui-monospace,monospace;font-size:.875rem}h1{font-size:1.375rem}h2{font-size:1rem}h4{margin:.8rem 0 .2rem}',
  'section,nav{border:1px solid var(--line);border-radius:.75rem;background:var(--surface);margin-top:.75rem;padding:.875rem}',
  'section h2,section h3{margin:0}nav ul{list-style:none;margin:0;padding:0}small{color:var(--dim)}',
  'table{border-collapse:collapse;width:100%}td{border-top:1px solid var(--line);padding:.2rem .5rem .2rem 0;vertical-align:top}',
  'td:first-child{width:30%;overflow-wrap:anywhere}a{color:var(--accent)}',
].join('')
