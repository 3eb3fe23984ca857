import { Ajv, type ValidateFunction } from 'ajv'
import formats from 'ajv-formats'

type Header = Readonly<Record<string, unknown>>
type Media = { readonly schema?: object }
type Answer = {
  readonly $ref?: string
  readonly headers?: Header
  readonly content?: Readonly<Record<string, Media>>
}
type OpenApi = {
  readonly paths: Readonly<Record<string, { readonly get?: { readonly responses: Record<string, Answer> } }>>
  readonly components: { readonly responses: Readonly<Record<string, Answer>>; readonly schemas: object }
}

/** One answer as it came. */
export type Received = {
  readonly method: string
  readonly path: string
  readonly status: number
  readonly headers: Headers
  readonly body: string
}

/** Says what is wrong with an answer by the interface document; nothing where all is well. */
export type Checker = {
  (received: Received): string[]
  /** The same for a body that is no operation's, by the name of its schema. */
  body(schema: string, body: string): string[]
}

const ID = 'interface'
const PROBLEM = 'application/problem+json'

/** Makes the checker of a running service from its own `/openapi.json`. */
export function createChecker(document: OpenApi): Checker {
  // The document is of OpenAPI's dialect: `nullable` widens a type, and words for readers mean nothing.
  const ajv = new Ajv({ strict: false, allErrors: false })
  formats.default(ajv)
  ajv.addSchema(document, ID)
  const validators = new Map<string, ValidateFunction>()
  const validatorOf = (pointer: string): ValidateFunction => {
    const known = validators.get(pointer) ?? ajv.compile({ $ref: `${ID}#${pointer}` })
    validators.set(pointer, known)
    return known
  }

  const checkBody = (pointer: string, body: string): string[] => {
    let value: unknown
    try {
      value = JSON.parse(body)
    } catch {
      return ['the body is no JSON']
    }
    const isValid = validatorOf(pointer)
    return isValid(value) ? [] : [ajv.errorsText(isValid.errors)]
  }
  const schemaBody = (name: string, body: string) => checkBody(`/components/schemas/${name}`, body)

  const checkDocumented = (received: Received, pointer: string, answer: Answer): string[] => {
    const named = answer.$ref?.replace('#/components/responses/', '')
    if (named !== undefined) {
      const resolved = document.components.responses[named]
      if (resolved === undefined) return [`${answer.$ref} leads nowhere`]
      return checkDocumented(received, `/components/responses/${named}`, resolved)
    }
    const faults: string[] = []
    const expected = Object.keys(answer.headers ?? {})
    if (expected.length > 0 && !expected.some((name) => received.headers.get(name)))
      faults.push(`none of the headers ${expected.join(', ')}`)
    const type = mediaType(received)
    if (answer.content === undefined)
      return received.body === '' ? faults : [...faults, 'a body where none is']
    if (answer.content[type] === undefined) return [...faults, `media type ${type}`]
    if (received.method === 'HEAD') return received.body === '' ? faults : [...faults, 'a body after HEAD']
    return [...faults, ...checkBody(`${pointer}/content/${type.replace('/', '~1')}/schema`, received.body)]
  }

  const check = (received: Received): string[] => {
    const { method, path, status, body } = received
    const operation = document.paths[path]?.get
    if (operation === undefined) return [`${path} is not in the document`]
    const faults = mediaType(received) === PROBLEM ? checkProblem(received) : []
    // Only GET is described. HEAD answers as GET does or not at all, and no other method is there.
    if (method !== 'GET' && (method !== 'HEAD' || status === 405)) {
      if (status !== 405) return [...faults, `status ${status} of ${method}`]
      const allow = received.headers.get('allow') === null ? ['no Allow'] : []
      return [...faults, ...allow, ...(method === 'HEAD' ? [] : schemaBody('Problem', body))]
    }
    const answer = operation.responses[status]
    if (answer === undefined) return [...faults, `status ${status} is not documented`]
    const pointer = `/paths/${path.replaceAll('/', '~1')}/get/responses/${status}`
    return [...faults, ...checkDocumented(received, pointer, answer)]
  }
  return Object.assign(check, { body: schemaBody })
}

function mediaType({ headers }: Received): string {
  return headers.get('content-type')?.split(';')[0]?.trim() ?? 'none'
}

function checkProblem({ method, status, body }: Received): string[] {
  if (method === 'HEAD') return []
  const said = Number(/"status":(\d+)/.exec(body)?.[1])
  return said === status ? [] : [`the problem says ${said}, the answer ${status}`]
}
