import { readFileSync } from 'node:fs'
import { parse } from 'yaml'
import { type CommonStatus, commonErrors, FOREIGN } from '../../src/http/index.ts'
import { curlLines } from './curl-line.ts'
import { inPageOrder } from './curl-rows.ts'
import { type PageSection, pageSections } from './page-manual.ts'

/** The page of GET /docs: the API as one self-contained page; `contract`: openapi.yaml, `messages`: asyncapi.yaml. */
export function docsPage(contract: string, messages: string): string {
  const { info, tags, servers, paths, components } = parse(contract) as Document
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  )
  const groups = tags.map((tag) => ({
    ...tag,
    operations: sorted(operations.filter(({ operation }) => operation.tags[0] === tag.name)),
  }))
  const parts: Part[] = [
    { title: 'The page', sections: pageSections(routeLink) },
    { title: 'Every call: authentication, retries, errors', sections: callSections(info.description) },
    ...groups.map(({ description, operations }) => ({
      title: description,
      sections: operations.map((one) => ({
        id: anchorOf(nameOf(one)),
        title: nameOf(one),
        summary: one.operation.summary ?? '',
        html: toSection(one, components.schemas),
      })),
    })),
    { title: MESSAGES, id: 'messages', intro: messagesIntro, sections: messageSections(messages) },
    {
      title: 'Schemas',
      id: 'schemas',
      sections: Object.entries(components.schemas).map(([name, schema]) => ({
        id: name,
        title: name,
        html: toSchemaSection([name, schema], operations),
      })),
    },
  ]
  return [
    '<!doctype html>',
    '<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">',
    `<title>${escape(info.title)} ${escape(info.version)}: API</title><style>${style}</style></head><body>`,
    `<header><h1>${escape(info.title)} ${escape(info.version)}: API</h1><p>${escape(info.summary)}. Programs read `,
    `${routeLink('GET /openapi.yaml')}. Every call needs a token, except those marked “no token”. To try the curl lines below, first run:</p>`,
    `<pre>AUTH="Authorization: Bearer $(shellphone token create docs --approves all --read all --shell --expires-in-days 1)"\nURL=${escape(servers[0]!.url)}</pre>`,
    '<p><b>This token may do almost everything</b>: run and approve every command, read every run, and manage tokens that expire no later than it does. It expires after a day; ',
    '<code>shellphone token revoke docs</code> revokes it at once; do the same when it has expired, and create it again.</p>',
    '<p>The lines work as they stand, from top to bottom; each needs the variables that the lines above it set. They use files that you can delete afterwards: <code>copy.txt</code> in the present directory, ',
    '<code>shellphone-demo.txt</code> in the home directory of the service. Ctrl+C ends those with <code>-N</code>, which show what happens as it happens. For your own calls, set ',
    `${variables.map(([name, meaning]) => `<code>$${name}</code>, ${meaning}`).join('; ')}.</p>`,
    '<p><a href="/">Open the browser page</a></p></header><aside>',
    '<p class="search"><input type="search" id="search" placeholder="Search this manual" aria-label="Search this manual">',
    '<span id="found" role="status"></span></p><nav>',
    ...parts.map(toContents),
    '</nav></aside><main>',
    ...parts.map(toGroup),
    '</main>',
    `<script>${script}</script></body></html>`,
    '',
  ].join('\n')
}

const summaryOf = (title: string): string => `<summary><h2>${escape(title)}</h2></summary>`

/** A group of sections: on the page, and in its contents. */
interface Part {
  title: string
  id?: string
  intro?: string
  sections: (PageSection & { summary?: string })[]
}

/** The links to the sections of a group. Those to the schemas are collapsed, because there are many. */
const toContents = ({ title, id, sections }: Part): string =>
  `<details${id === 'schemas' ? '' : ' open'}>${summaryOf(title)}<ul>${sections.map(toLink).join('')}</ul></details>`

/** A collapsed group of sections. A link to one of its sections and a search open it. */
const toGroup = ({ title, id, intro = '', sections }: Part): string =>
  `<details${id === undefined ? '' : ` id="${id}"`}>${summaryOf(title)}${intro}${sections.map(({ html }) => html).join('\n')}</details>`

/** A schema; for one that is the body of an operation, which shows its fields, the link to it. */
function toSchemaSection([name, schema]: [string, Schema], operations: Named[]): string {
  const user = operations.find(({ operation }) => bodyNameOf(operation) === name)
  const shown = user ? `<p>The body of ${routeLink(nameOf(user))}</p>` : toTable(schema)
  return `<section id="${name}"><h3>${name}</h3>${shown}</section>`
}

/** The variables in the paths of the curl lines, and where their values come from. */
const variables = [
  [
    'ID',
    `the id of a run, from ${routeLink('POST /exec')} or ${routeLink('GET /runs')}, or of an approval from ${routeLink('GET /approvals')}`,
  ],
  [
    'NAME',
    `the name of a token, from ${routeLink('GET /tokens')}, of a session, from ${routeLink('GET /sessions')}, of a webhook, from ${routeLink('GET /webhooks')}, or of a scratchpad, from <code>scratchpad</code> in a record`,
  ],
  [
    'DIALECT',
    `the name of a dialect, from ${routeLink('GET /dialects')}; the name <code>anthropic/bash</code> is <code>anthropic?tool=bash</code> in the address`,
  ],
  ['SESSION', `the header <code>Mcp-Session-Id</code> of the response to ${routeLink('POST /mcp')}`],
  ['NONCE', 'the secret of a button, which only the notification on the phone knows'],
]

function routeLink(name: string): string {
  return `<a href="#${anchorOf(name)}">${escape(name)}</a>`
}

const MESSAGES = 'WebSocket messages'
const messagesIntro = `<p>JSON objects on one connection, opened with ${routeLink('GET /ws')}. Programs read ${routeLink('GET /asyncapi.yaml')}.</p>`

/** The messages of GET /ws, with their fields. */
function messageSections(text: string): PageSection[] {
  const { components } = parse(text) as { components: { messages: Record<string, Message> } }
  return Object.entries(components.messages).map(([name, { summary, payload }]) => {
    const id = `message-${name}`
    const shown = payload.anyOf ? payload.anyOf.map(toTable).join('<p>or</p>') : toTable(payload)
    return { id, title: name, html: `<section id="${id}"><h3>${name}</h3><p>${escape(summary)}</p>${shown}</section>` }
  })
}

/** What applies to every call: the paragraphs of the contract's introduction, each of which begins with its title, and the errors. */
function callSections(introduction: string): PageSection[] {
  return introduction.split('\n\n').map((paragraph) => {
    const [, title] = /^\*\*(\w+)\*\*/.exec(paragraph.trim())!
    const id = title!.toLowerCase()
    const text = escape(
      paragraph.trim().replace(/^\*\*(\w+)\*\*: (.)/, (_, _title, first: string) => first.toUpperCase()),
    )
      .replaceAll(/\*\*(.*?)\*\*/g, '$1')
      .replaceAll(/`(.*?)`/g, '<code>$1</code>')
    const table = id === 'errors' ? `<h4>Errors of every operation</h4>${errorRows}` : ''
    return { id, title: title!, html: `<section id="${id}"><h3>${title}</h3><p>${text}</p>${table}</section>` }
  })
}

interface Message {
  summary: string
  payload: Schema
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

interface Media {
  schema?: Schema
  example?: unknown
  examples?: Record<string, { value?: unknown }>
}

interface Content {
  description?: string
  content?: Record<string, Media>
}

interface Parameter {
  name: string
  in: string
  required?: boolean
  description?: string
  schema?: Schema
}

interface Operation {
  tags: string[]
  summary?: string
  description?: string
  security?: unknown[]
  parameters?: Parameter[]
  requestBody?: Content
  responses?: Record<string, Content>
}

interface Document {
  info: { title: string; version: string; summary: string; description: string }
  tags: { name: string; description: string }[]
  servers: { url: string }[]
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Schema> }
}

interface Named {
  method: string
  path: string
  operation: Operation
}

function escape(text: unknown): string {
  return String(text).replace(/[&<>]/g, (character) => `&#${character.charCodeAt(0)};`)
}
/** The operations of a group in the order of the page. */
function sorted(operations: Named[]): Named[] {
  const byName = new Map(operations.map((one) => [nameOf(one), one]))
  return inPageOrder([...byName.keys()]).map((name) => byName.get(name)!)
}

const nameOf = ({ method, path }: Named) => `${method} ${path}`
function anchorOf(name: string): string {
  return name.toLowerCase().replace(/[^a-z]+/g, '-')
}
const toLink = ({ id, title, summary = '' }: Part['sections'][number]) =>
  `<li><a href="#${id}">${escape(title)}</a> ${escape(summary)}</li>`

function toSection(one: Named, schemas: Record<string, Schema>): string {
  const { summary = '', description, security, parameters = [], requestBody, responses = {} } = one.operation
  const isPublic = security?.length === 0
  const fields = parameters.map(({ name, in: where, required = false, schema = {}, description }) =>
    toRow(`${name} <small>${where}</small>`, { ...schema, ...(description && { description }) }, required),
  )
  return [
    `<section id="${anchorOf(nameOf(one))}"><h3>${escape(nameOf(one))}</h3><p>${escape(summary)}${isPublic ? ' (no token)' : ''}</p>`,
    description ? `<p>${escape(description)}</p>` : '',
    one.path === '/ws' ? `<p><a href="#messages">${MESSAGES}</a> lists them.</p>` : '',
    `<pre>${escape(curlLines(one.method, one.path, isPublic, requestBody !== undefined).join('\n'))}</pre>`,
    fields.length > 0 ? `<table>${fields.join('')}</table>` : '',
    requestBody ? `<h4>Body</h4>${toBody(requestBody, { schemas })}` : '',
    ...withSameBody(responses).map(([title, body]) => `<h4>${title}</h4>${body}`),
    '</section>',
  ].join('')
}

/** The responses, with one entry for all statuses that have the same body. */
function withSameBody(responses: Record<string, Content>): [title: string, body: string][] {
  const titles = new Map<string, { own: string[]; common: string[] }>()
  for (const [status, one] of Object.entries(responses)) {
    const description = (one.description ?? '').replace(`; ${FOREIGN}`, '')
    const isCommon = one.description === commonErrors[Number(status) as CommonStatus]
    const body = toBody(one, { hasSample: status < '300' })
    const of = titles.get(body) ?? { own: [], common: [] }
    titles.set(body, of)
    if (isCommon) of.common.push(status)
    else of.own.push(`${status} ${escape(description)}`)
  }
  const linked = (common: string[]) => (common.length > 0 ? [`<a href="#errors">${common.join(', ')}</a>`] : [])
  return [...titles].map(([body, { own, common }]) => [[...own, ...linked(common)].join('<br>'), body])
}

/** The errors that mean the same in every operation. */
const errorRows = `<table>${Object.entries(commonErrors)
  .map(([status, meaning]) => `<tr><td>${status}<td>${escape(meaning)}`)
  .join('')}</table>`

/** The name of the schema of an operation's body, if it has one. */
const bodyNameOf = ({ requestBody }: Operation): string | undefined =>
  requestBody?.content?.['application/json']?.schema?.$ref?.split('/').at(-1)

interface BodyOptions {
  /** the schemas whose fields to show instead of a link */
  schemas?: Record<string, Schema>
  hasSample?: boolean
}

/** The content of a body by its type. */
function toBody({ content = {} }: Content, { schemas = {}, hasSample = false }: BodyOptions): string {
  const shown = Object.entries(content).map(([type, media]) => {
    const { schema = {} } = media
    const table = toTable(schemas[schema.$ref?.split('/').at(-1) ?? ''] ?? schema)
    return type === 'application/json'
      ? table + (hasSample ? sampleOf(media) : '')
      : `<p><code>${escape(type)}</code></p>${table}`
  })
  return shown.join('')
}

function sampleOf({ example, examples = {} }: Media): string {
  const value = example ?? Object.values(examples)[0]?.value
  return value === undefined ? '' : `<pre>${escape(JSON.stringify(value, null, 1))}</pre>`
}

/** The fields of an object; for any other schema its type. */
function toTable(schema: Schema): string {
  const rows = rowsOf(schema, '')
  if (rows.length > 0) return `<table>${rows.join('')}</table>`
  const [first, ...list] = (schema.description ?? '').split('\n- ')
  if (list.length > 0) return `<p>${escape(first)}</p><ul>${list.map((item) => `<li>${escape(item)}`).join('')}</ul>`
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
  `<tr><td><code>${name}</code>${isRequired ? ' *' : ''}<td>${typeOf(schema)}<td>${escape(schema.description ?? '')}`

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

/** Filters the sections by the words of the search field. */
const script = `const field = document.getElementById('search'), found = document.getElementById('found')
const links = new Map([...document.querySelectorAll('nav a')].map((link) => [link.hash.slice(1), link.parentElement]))
const items = [...document.querySelectorAll('section')].map((section) => ({ section, text: section.textContent.toLowerCase(), link: links.get(section.id) }))
const textOf = new Map(items.map(({ section, text }) => [section.id, text]))
const schemas = new Set([...document.querySelectorAll('#schemas section')].map(({ id }) => id))
/** The text of an operation, with that of the schemas of its body and replies. */
for (const item of items) {
  const seen = new Set()
  const add = (section) => {
    for (const { hash } of section.querySelectorAll('a[href^="#"]')) {
      const id = hash.slice(1)
      if (seen.has(id) || !schemas.has(id)) continue
      seen.add(id)
      item.text += ' ' + textOf.get(id)
    }
  }
  if (!schemas.has(item.section.id)) add(item.section)
}
/** Each group with its sections or links, and whether it was open before the search. */
const groups = [...document.querySelectorAll('details')].map((group) => ({
  group,
  below: [...group.querySelectorAll(':scope > section, :scope > ul > li')],
  wasOpen: group.open,
}))
let isSearching = false
field.addEventListener('input', () => {
  const words = field.value.toLowerCase().split(/\\s+/)
  let count = 0
  for (const { section, text, link } of items) {
    const isHidden = !words.every((word) => text.includes(word))
    section.hidden = isHidden
    link.hidden = isHidden
    if (!isHidden) count += 1
  }
  for (const one of groups) {
    if (!isSearching) one.wasOpen = one.group.open
    one.group.hidden = one.below.every(({ hidden }) => hidden)
    one.group.open = field.value !== '' || one.wasOpen
  }
  isSearching = field.value !== ''
  document.querySelector('nav').hidden = count === 0
  found.textContent = field.value === '' ? '' : count + (count === 1 ? ' match' : ' matches')
})
/** Opens the group of the section that the address names; not every browser does so. */
const reveal = () => {
  const section = document.getElementById(location.hash.slice(1))
  const group = section && section.closest('details')
  if (!group || group.open) return
  group.open = true
  section.scrollIntoView()
}
addEventListener('hashchange', reveal)
reveal()
/** A button that copies, at each block of lines: without TLS, a page may copy only what is selected. */
for (const block of document.querySelectorAll('pre')) {
  const button = document.createElement('button')
  button.textContent = 'Copy'
  button.addEventListener('click', () => {
    getSelection().selectAllChildren(block.firstElementChild)
    button.textContent = document.execCommand('copy') ? 'Copied' : 'Press Ctrl+C'
  })
  const text = document.createElement('code')
  text.append(...block.childNodes)
  block.append(text, button)
}`

/** The colours of the page at /, some of which this page uses. */
const colours = readFileSync(new URL('../../src/web/style/colours.css', import.meta.url), 'utf8')
const colour = (name: string) => new RegExp(`--${name}: [^;]+;`).exec(colours)![0].replace(': ', ':')

const style = [
  `:root{color-scheme:light dark;${['ground', 'surface', 'line', 'text', 'dim', 'accent'].map(colour).join('')}}`,
  'body{font:1rem/1.5 system-ui,sans-serif;max-width:60rem;margin:auto;padding:1rem;background:var(--ground);color:var(--text)}',
  'code,pre,h3{font-family:ui-monospace,monospace;font-size:.875rem}h1{font-size:1.375rem}h2{font-size:1rem}h4{margin:.8rem 0 .2rem}',
  'section,nav{border:1px solid var(--line);border-radius:.75rem;background:var(--surface);margin-top:.75rem;padding:.875rem}',
  'pre{overflow-x:auto;padding:.5rem;border:1px solid var(--line);border-radius:.5rem}input{font:inherit;flex:1;min-width:0;padding:.5rem}.search{display:flex;align-items:center;gap:.75rem}#found{white-space:nowrap}',
  'summary{cursor:pointer;padding:.6rem 0}summary h2{display:inline;margin:0}section h3{margin:0}[hidden]{display:none}nav ul{list-style:none;margin:0;padding:0}small{color:var(--dim)}',
  'table{border-collapse:collapse;width:100%}td{border-top:1px solid var(--line);padding:.2rem .5rem .2rem 0;vertical-align:top}',
  'td:first-child{width:30%;overflow-wrap:anywhere}a{color:var(--accent)}',
  'pre{display:flex;align-items:start;gap:.5rem}pre code{flex:1;min-width:0;overflow-x:auto}pre button{font:.75rem system-ui,sans-serif;padding:.25rem .5rem}',
  // a phone has no room for three columns
  '@media(max-width:40rem){table,tbody{display:block}tr{display:flex;flex-wrap:wrap;column-gap:.5rem;border-top:1px solid var(--line)}td{border:0;padding:.1rem 0}td:first-child{width:auto}td:last-child{width:100%}}',
  // wide windows have room for the contents beside the text
  '@media(min-width:75rem){body{max-width:94rem;display:grid;grid-template-columns:24rem minmax(0,60rem);gap:0 2rem;justify-content:center}header,main{grid-column:2}aside{grid-area:1/1/3;position:sticky;top:0;align-self:start;max-height:100vh;overflow-y:auto}.search{position:sticky;top:0;margin:0;padding:.875rem 0;background:var(--ground)}}',
].join('')
