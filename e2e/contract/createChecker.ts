import { Ajv, type ValidateFunction } from 'ajv'
import formats from 'ajv-formats'
import { SURFACE } from './surface.ts'

type Header = Readonly<Record<string, unknown>>
type Media = { readonly schema?: object }
type Answer = {
  readonly $ref?: string
  readonly headers?: Header
  readonly content?: Readonly<Record<string, Media>>
}
type Operation = { readonly responses: Readonly<Record<string, Answer>> }
type OpenApi = {
  readonly paths: Readonly<Record<string, { readonly get?: Operation }>>
  readonly components: { readonly responses: Readonly<Record<string, Answer>>; readonly schemas: object }
}

/** A response as received. Method and path are null if the request was not valid HTTP. */
export type Received = {
  readonly method: string | null
  readonly path: string | null
  readonly status: number
  readonly headers: Headers
  readonly body: string
}

/** Returns the violations of the OpenAPI document in a response. */
export type Checker = (received: Received) => string[]

const ID = 'interface'
const PROBLEM = 'application/problem+json'

/** Creates a checker from the `/openapi.json` of a service. */
export function createChecker(document: OpenApi): Checker {
  // OpenAPI 3.0 dialect: `nullable` widens a type, and annotations are ignored.
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

  /** Checks a problem response, which has the same shape for all operations. */
  const checkRefusal = (received: Received, statuses: readonly number[]): string[] => {
    const { method, status, headers, body } = received
    const faults = statuses.includes(status) ? checkProblem(received) : [`status ${status}`]
    if (mediaType(received) !== PROBLEM) faults.push(`media type ${mediaType(received)} of ${status}`)
    if (status === 405 && headers.get('allow') === null) faults.push('no Allow')
    if ((status === 429 || status === 503) && !headers.get('retry-after')) faults.push('no Retry-After')
    return [...faults, ...(method === 'HEAD' || method === null ? [] : schemaBody('Problem', body))]
  }

  /** Checks the page that a browser gets in place of a problem document or challenge. */
  const checkErrorPage = ({ method, status, headers, body }: Received): string[] => {
    const isPolicy = /script-src 'sha256-[^' ]+';/.test(headers.get('content-security-policy') ?? '')
    const faults = isPolicy ? [] : ['a page without the policy of pages']
    const wanted = { 402: 'payment-required', 405: 'allow', 429: 'retry-after', 503: 'retry-after' }[status]
    if (wanted !== undefined && !headers.get(wanted)) faults.push(`no ${wanted}`)
    if (method === 'HEAD') return body === '' ? faults : [...faults, 'a body after HEAD']
    return body.startsWith('<!doctype html><html') ? faults : [...faults, 'no page']
  }

  const checkOperation = (received: Received, path: string, operation: Operation): string[] => {
    const { method, status } = received
    // Only GET is described. HEAD responds like GET or is refused, and other methods do not exist.
    if (method !== 'GET' && (method !== 'HEAD' || status === 405)) return checkRefusal(received, [405])
    const faults = mediaType(received) === PROBLEM ? checkProblem(received) : []
    const answer = operation.responses[status]
    if (answer === undefined) return [...faults, `status ${status} is not documented`]
    const pointer = `/paths/${path.replaceAll('/', '~1')}/get/responses/${status}`
    return [...faults, ...checkDocumented(received, pointer, answer)]
  }

  const checkSurface = (received: Received, here: typeof SURFACE): string[] => {
    const { method, status, body } = received
    const type = mediaType(received)
    if (type === PROBLEM) return checkRefusal(received, [400, 404, 405, 415, 429, 503])
    if (status === 304) return body === '' ? [] : ['a body where none is']
    const meant = here.find(({ types, statuses }) => types.includes(type) && statuses.includes(status))
    if (meant === undefined) return [`status ${status} as ${type} is not among what is served here`]
    if (method === 'HEAD' || meant.body === undefined) return []
    return typeof meant.body === 'string' ? schemaBody(meant.body, body) : [...meant.body(body)]
  }

  return (received) => {
    const { method, path, status } = received
    if (method === null || path === null) return checkRefusal(received, [400, 408, 431])
    if (status >= 400 && mediaType(received) === 'text/html') return checkErrorPage(received)
    // Every path refuses large request bodies, and malformed paths are refused.
    if (status === 413) return checkRefusal(received, [413])
    if (status === 400 && !isReadable(path)) return checkRefusal(received, [400])
    const here = SURFACE.filter((surface) => surface.path.test(path))
    // Pages and files stand in the document as well, but what is known here of their bodies is stricter.
    const operation = here.length > 0 ? undefined : document.paths[path]?.get
    if (operation === undefined && here.length === 0) {
      const faults = checkRefusal(received, [404])
      return faults.length === 0 ? [] : [`${path} is not in the document`, ...faults]
    }
    if (method === 'OPTIONS') return checkPreflight(received)
    return operation === undefined ? checkSurface(received, here) : checkOperation(received, path, operation)
  }
}

function mediaType({ headers }: Received): string {
  return headers.get('content-type')?.split(';')[0]?.trim() ?? 'none'
}

function isReadable(path: string): boolean {
  try {
    decodeURIComponent(path)
    return true
  } catch {
    return false
  }
}

function checkPreflight({ status, headers, body }: Received): string[] {
  return [
    ...(status === 204 ? [] : [`status ${status} of OPTIONS`]),
    ...(headers.get('allow') && headers.get('access-control-allow-methods') ? [] : ['no Allow']),
    ...(body === '' ? [] : ['a body where none is']),
  ]
}

function checkProblem({ method, status, body }: Received): string[] {
  if (method === 'HEAD' || (method === null && body === '')) return []
  const said = Number(/"status":(\d+)/.exec(body)?.[1])
  return said === status ? [] : [`the problem says ${said}, the answer ${status}`]
}
