import type { Page } from '../../http/deps.ts'
import { buildOpenApi } from '../../http/openapi.ts'
import { ProblemError } from '../../http/problems.ts'
import { answerHtml } from '../answerHtml.tsx'
import { Layout } from '../components/layout.tsx'
import { Scroll, Snippet } from '../components/scroll.tsx'
import { formatUsd } from '../format.ts'
import type { PageDeps } from '../pageDeps.ts'
import { nameOfRef, type OpenApiDocument, type OperationNode, readOpenApi } from './readOpenApi.ts'
import { Fields, SchemaType, schemaPath } from './schemaType.tsx'

const STATUS_WORDS: Readonly<Record<string, string>> = { '200': 'Answer', '402': 'Unpaid' }

/** The OpenAPI document as pages: the operations, and each named schema. */
export function createDocsPages({ publicUrl, prices = {} }: PageDeps): Page[] {
  const document = readOpenApi(buildOpenApi({ publicUrl, prices }))
  const overview = answerHtml(<Docs document={document} publicUrl={publicUrl} />)
  return [
    { path: '/docs', handler: () => overview },
    {
      path: '/docs/schemas/:name',
      handler: ({ params }) => {
        const { name = '' } = params
        if (!Object.hasOwn(document.components.schemas, name)) {
          throw new ProblemError(404, 'not_found', 'No schema of the interface has this name.')
        }
        return answerHtml(<SchemaPage document={document} name={name} publicUrl={publicUrl} />)
      },
    },
  ]
}

type Props = { readonly document: OpenApiDocument; readonly publicUrl: string }

function Docs({ document, publicUrl }: Props) {
  const operations = Object.entries(document.paths)
  const group = (isPaid: boolean) =>
    operations.filter(([, { get }]) => (get['x-price-usd'] !== undefined) === isPaid)
  return (
    <Layout
      title={`API: interface ${document.info.version}`}
      description={document.info.description}
      path="/docs"
      publicUrl={publicUrl}
      section="/docs"
    >
      <h1>API</h1>
      <p class="lede">
        Interface {document.info.version}. Every operation is a GET; the{' '}
        <a href="/openapi.json">OpenAPI document</a> has all of this for programs. A refused query is a
        problem document (RFC 9457).
      </p>
      <div class="stack">
        <Operations title="Free" operations={group(false)} document={document} publicUrl={publicUrl} />
        <Operations
          title="Paid a call, through x402 in USDC on Base"
          operations={group(true)}
          document={document}
          publicUrl={publicUrl}
        />
        <section class="panel" aria-labelledby="schemas">
          <h2 id="schemas">Schemas</h2>
          <ul class="chips">
            {Object.keys(document.components.schemas).map((name) => (
              <li>
                <a class="chip mono" href={schemaPath(name)}>
                  {name}
                </a>
              </li>
            ))}
          </ul>
        </section>
      </div>
    </Layout>
  )
}

type OperationsProps = Props & { title: string; operations: [string, { get: OperationNode }][] }

function Operations({ title, operations, document, publicUrl }: OperationsProps) {
  const id = title.split(' ')[0]?.toLowerCase() ?? title
  return (
    <section class="panel" aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {operations.map(([path, { get }]) => (
        <OperationEntry path={path} operation={get} document={document} publicUrl={publicUrl} />
      ))}
    </section>
  )
}

function OperationEntry(props: Props & { path: string; operation: OperationNode }) {
  const { path, operation, document, publicUrl } = props
  const price = operation['x-price-usd']
  const parameters = operation.parameters.flatMap(({ $ref }) => {
    const parameter = document.components.parameters[nameOfRef($ref)]
    return parameter === undefined ? [] : [parameter]
  })
  return (
    <article class="operation" id={operation.operationId}>
      <h3>
        <span class="method">GET</span>
        <code>{path}</code>
        {price !== undefined && <span class="chip">{formatUsd(Number(price))}</span>}
      </h3>
      <p>{operation.summary}</p>
      {parameters.length > 0 && (
        <Scroll label={`Query of ${path}`}>
          <table class="rows">
            <thead>
              <tr>
                <th scope="col">Query</th>
                <th scope="col">Type</th>
                <th scope="col">Meaning</th>
              </tr>
            </thead>
            <tbody>
              {parameters.map(({ name, required, schema, description }) => (
                <tr>
                  <th scope="row">
                    <code>{name}</code>
                    {required && <span class="muted small"> required</span>}
                  </th>
                  <td>
                    <SchemaType node={schema} />
                    {schema.default !== undefined && `, default ${schema.default}`}
                  </td>
                  <td>{description}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </Scroll>
      )}
      <p class="small">
        {Object.entries(STATUS_WORDS).map(([status, words]) => {
          const schema = operation.responses[status]?.content?.['application/json']?.schema
          return (
            schema !== undefined && (
              <span class="muted">
                {words}: <SchemaType node={schema} />.{' '}
              </span>
            )
          )
        })}
      </p>
      {price === undefined && parameters.every(({ required }) => !required) && (
        <Snippet label={`Call of ${path}`} code={`curl ${publicUrl}${path}`} />
      )}
    </article>
  )
}

function SchemaPage({ document, name, publicUrl }: Props & { name: string }) {
  const node = document.components.schemas[name] ?? {}
  return (
    <Layout
      title={`${name}: schema`}
      description={node.description ?? name}
      path={schemaPath(name)}
      publicUrl={publicUrl}
      section="/docs"
    >
      <p class="small">
        <a href="/docs">API</a> / <a href="/docs#schemas">Schemas</a>
      </p>
      <h1>{name}</h1>
      <p class="lede">{node.description}</p>
      <section class="panel" aria-label="Fields">
        <Scroll label="Table of fields">
          <Fields node={node} />
        </Scroll>
      </section>
    </Layout>
  )
}
