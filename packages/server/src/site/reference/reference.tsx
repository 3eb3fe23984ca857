import type { Page } from '../../http/deps.ts'
import { ProblemError } from '../../lib/problemError.ts'
import { answerHtml } from '../answerHtml.tsx'
import { Layout } from '../components/layout.tsx'
import { Panel } from '../components/panel.tsx'
import { Snippet } from '../components/prose.tsx'
import { type Column, Table } from '../components/table.tsx'
import { formatUsd } from '../format.ts'
import type { PageDeps } from '../pageDeps.ts'
import { REFERENCE_PATH, referencePath } from '../paths.ts'
import {
  type Components,
  type Field,
  listFields,
  nameOf,
  type Operation,
  type Parameter,
  reachable,
  readOpenApi,
  type Schema,
} from './openApiDocument.ts'

/** An example that is longer is a call away. */
const MAX_EXAMPLE = 10_000

/** Groups of operations in the order of the page. */
const GROUPS: readonly { readonly title: string; readonly holds: (operation: Operation) => boolean }[] = [
  { title: 'Paid: audit of x402 endpoints', holds: (one) => isPaid(one) && !isOfTokens(one) },
  { title: 'Paid: token intelligence on Base', holds: (one) => isPaid(one) && isOfTokens(one) },
  {
    title: 'Free: audit of x402 endpoints',
    holds: ({ tags, path }) => tags.includes('free') && !isOfMcp(path),
  },
  { title: 'Free: MCP servers', holds: ({ path }) => isOfMcp(path) },
  {
    title: 'Free: pages, feeds and documents',
    holds: ({ tags, path }) => tags.includes('page') && !isOfMcp(path),
  },
  { title: 'Free: the map and the log', holds: ({ tags }) => tags.includes('files') },
  { title: 'Free: forms', holds: ({ tags }) => tags.includes('form') },
]
const isPaid = ({ tags }: Operation) => tags.includes('paid')
const isOfTokens = ({ parameters = [] }: Operation) => parameters.some(({ name }) => name === 'token')
const isOfMcp = (path: string) => path.startsWith('/mcp')

/** Creates `/docs/reference`, a list of every operation, and a page of each with its parameters, fields and example. */
export function createReferencePages(deps: PageDeps): Page[] {
  const { operations, components } = readOpenApi(deps.config)
  return [
    { path: REFERENCE_PATH, handler: () => answerHtml(<Index operations={operations} deps={deps} />) },
    {
      path: `${REFERENCE_PATH}/:operation`,
      handler: ({ params }) => {
        const operation = operations.find(({ operationId }) => operationId === params.operation)
        if (operation === undefined)
          throw new ProblemError(404, 'unknown_operation', 'No operation has this name.')
        return answerHtml(<Described operation={operation} components={components} deps={deps} />)
      },
    },
  ]
}

const priceOf = (operation: Operation) =>
  operation['x-price-usd'] === undefined ? 'free' : formatUsd(Number(operation['x-price-usd']))

const LISTED: readonly Column<Operation>[] = [
  {
    name: 'Operation',
    cell: ({ method, path, operationId }) => (
      <a href={referencePath(operationId)}>
        <code>
          {method} {path}
        </code>
      </a>
    ),
  },
  { name: 'Price', share: 'half', cell: priceOf },
  { name: 'Answers with', share: 'whole', cell: ({ summary }) => summary },
]

function Index({ operations, deps }: { readonly operations: readonly Operation[]; readonly deps: PageDeps }) {
  return (
    <Layout
      {...deps}
      title="API reference"
      description="Every operation of the interface with its price, parameters, fields and an example."
      path={REFERENCE_PATH}
    >
      <h1>API reference</h1>
      <p class="lede">
        Every operation, by price and subject. <a href="/docs">Guide</a> ·{' '}
        <a href="/openapi.json">OpenAPI document</a>
      </p>
      <div class="stack">
        {GROUPS.map(({ title, holds }, index) => (
          <Panel id={`group-${index + 1}`} title={title}>
            <Table scroll={title} columns={LISTED} rows={operations.filter(holds)} />
          </Panel>
        ))}
      </div>
    </Layout>
  )
}

type DescribedProps = {
  readonly operation: Operation
  readonly components: Components
  readonly deps: PageDeps
}

/** One operation: how it is called, what it answers with, and the fields of both. */
function Described({ operation, components, deps }: DescribedProps) {
  const { path, method, summary, operationId, parameters = [], requestBody, responses } = operation
  const success = Object.entries(responses).find(([status]) => /^[23]/.test(status))?.[1]?.content ?? {}
  const { schema, example } = success['application/json'] ?? {}
  const sent = requestBody?.content['application/json']
  const text = example === undefined ? '' : JSON.stringify(example, null, 2)
  const failures = Object.entries(responses).filter(([status]) => /^[45]/.test(status))
  return (
    <Layout {...deps} title={`${method} ${path}`} description={summary} path={referencePath(operationId)}>
      <p class="small">
        <a href={REFERENCE_PATH}>API reference</a>
      </p>
      <h1>
        {method} {path}
      </h1>
      <p class="lede">
        {summary} <span class="chip">{priceOf(operation)}</span>
      </p>
      <div class="stack">
        {parameters.length > 0 && (
          <Panel id="parameters" title="Parameters">
            <Table scroll="Parameters" columns={PARAMETERS} rows={parameters} />
          </Panel>
        )}
        {sent !== undefined && (
          <Panel id="fields" title="Fields that are sent">
            <Fields schema={sent.schema} />
          </Panel>
        )}
        <Panel
          id="answer"
          title="Answer"
          extra={<span class="small muted">{Object.keys(success).join(', ')}</span>}
        >
          {schema !== undefined && <Fields schema={schema} />}
          {text !== '' && text.length <= MAX_EXAMPLE && (
            <details>
              <summary>Example</summary>
              <Snippet label="Example answer" code={text} />
            </details>
          )}
        </Panel>
        {reachable(schema, components.schemas).map((name) => (
          <Panel id={`schema-${name}`} title={name}>
            <p class="small muted">{components.schemas[name]?.description}</p>
            <Fields schema={components.schemas[name] ?? {}} />
          </Panel>
        ))}
        <Panel id="failures" title="Other answers">
          <Table
            scroll="Other answers"
            columns={FAILURES}
            rows={failures.map(([status, { description, $ref }]) => ({
              status,
              text: description ?? components.responses[nameOf($ref)]?.description ?? '',
            }))}
          />
        </Panel>
      </div>
    </Layout>
  )
}

const PARAMETERS: readonly Column<Parameter>[] = [
  { name: 'Name', cell: ({ name }) => <code>{name}</code> },
  { name: 'In', cell: ({ in: place, required }) => `${place}${required ? ', required' : ''}` },
  {
    name: 'Example',
    share: 'half',
    cell: ({ example }) => (example === undefined ? '–' : <code>{`${example}`}</code>),
  },
  { name: 'Meaning', share: 'whole', cell: ({ description }) => description },
]
const FAILURES: readonly Column<{ readonly status: string; readonly text: string }>[] = [
  { name: 'Status', cell: ({ status }) => status },
  { name: 'When', share: 'whole', cell: ({ text }) => text },
]

const FIELDS: readonly Column<Field>[] = [
  { name: 'Field', cell: ({ name }) => <code>{name}</code> },
  {
    name: 'Type',
    share: 'half',
    cell: ({ schema, isRequired }) => (
      <>
        <Type schema={schema} />
        {isRequired ? '' : ', optional'}
      </>
    ),
  },
  { name: 'Meaning', share: 'whole', cell: ({ schema }) => schema.description },
]

/** The properties of a schema, those of objects within it under their path; of another schema its type. */
function Fields({ schema }: { readonly schema: Schema }) {
  const fields = listFields(schema)
  if (fields.length > 0) return <Table scroll="Fields" columns={FIELDS} rows={fields} />
  return (
    <p>
      <Type schema={schema} />
    </p>
  )
}

/** The type of a schema in a few words, with a link to the schema that it names. */
function Type({ schema }: { readonly schema: Schema }) {
  const { $ref, type, format, enum: values, items, nullable, anyOf, allOf } = schema
  if ($ref !== undefined) return <a href={`#schema-${nameOf($ref)}`}>{nameOf($ref)}</a>
  const orNull = nullable ? ' or null' : ''
  const several = anyOf ?? allOf
  if (several !== undefined)
    return (
      <>
        {several.map((one, index) => (
          <>
            {index > 0 && (anyOf === undefined ? ' and ' : ' or ')}
            <Type schema={one} />
          </>
        ))}
        {orNull}
      </>
    )
  if (items !== undefined)
    return (
      <>
        list of <Type schema={items} />
        {orNull}
      </>
    )
  const words = values === undefined ? (format ?? type ?? 'any') : describeValues(values)
  return words + orNull
}

const SHOWN_VALUES = 8

function describeValues(values: readonly (string | null)[]): string {
  const words = values.filter((one) => one !== null)
  const others = words.length - SHOWN_VALUES
  return `${words.slice(0, SHOWN_VALUES).join(' | ')}${others > 0 ? ` | … (${words.length} in all)` : ''}`
}
