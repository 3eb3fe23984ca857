// Kinds of settings: each checks the text of an environment variable and parses it.
import { ADDRESS_PATTERN } from '@touchstone402/shared'
import { isAddress } from 'viem'
import { z } from 'zod'

/** A source of listings: a service's URL or a file's path. */
export type SourceConfig<Kind extends string> = { kind: Kind; name: string; location: string }

/** A directory of endpoints. */
export type DirectoryConfig = SourceConfig<'bazaar' | '402index' | 'x402-list' | 'file'>

/** A setting that must be there; `what` explains it. */
export const required = (what: string) =>
  z
    .string({ error: `is missing: ${what}` })
    .trim()
    .min(1, { error: `is empty: ${what}`, abort: true })

/** Text that must not be empty. */
export const text = () => z.string().min(1, 'is empty')

/** An address of an account or contract, in lower case or with the checksum of EIP-55. */
export const address = (what: string) =>
  required(what)
    .regex(ADDRESS_PATTERN, { error: 'must be 0x and 40 hexadecimal digits', abort: true })
    .refine(
      (item) => item === item.toLowerCase() || isAddress(item),
      'has a wrong checksum: copy it again, or write it in lower case',
    )

/** Addresses that coins are sent to in order to be lost. */
const BURNT = [`0x${'0'.repeat(36)}dead`, `0xdead${'0'.repeat(36)}`, `0x${'f'.repeat(40)}`]
/** Precompiled contracts and the zero address are below it. */
const FIRST_ACCOUNT = 0x10000n

/** Whether somebody may have the key of an address. */
export const canPay = (address: string) =>
  BigInt(address) >= FIRST_ACCOUNT && !BURNT.includes(address.toLowerCase())

const isHttpUrl = (url: string) => URL.canParse(url) && /^https?:\/\//i.test(url)

/** Whether an http or https URL carries a login, which `fetch` refuses. The client of RPCs sends it as a header. */
function hasLogin(url: string): boolean {
  const { username, password } = new URL(url)
  return `${username}${password}` !== ''
}
const NO_LOGIN = 'must hold no user name or password: they would not be sent'

/** An http or https URL that need not be set. */
export const optionalUrl = (what: string) =>
  z.string().refine(isHttpUrl, `must be an http or https URL: ${what}`).optional()

const requiredUrl = (what: string) =>
  required(what).refine(isHttpUrl, { error: `must be an http or https URL: ${what}`, abort: true })

/** An http or https URL without a login; slashes at its end are removed. */
export const httpUrl = (what: string) =>
  requiredUrl(what)
    .refine((url) => !hasLogin(url), NO_LOGIN)
    .transform((url) => url.replace(/\/+$/, ''))

/** An origin. Guards compare the one in a verdict with the one they ask, so it must be exact. */
export const origin = (what: string) =>
  requiredUrl(what).transform((url, context) => {
    const { origin, href } = new URL(url)
    if (href === `${origin}/`) return origin
    context.addIssue(`must be an origin such as ${origin}, without path, query or credentials: ${what}`)
    return z.NEVER
  })

/** A whole number within a range. */
export const integer = (min: number, max: number, byDefault: number) =>
  z
    .string()
    .regex(/^[0-9]{1,9}$/, `must be a whole number from ${min} to ${max}`)
    .transform(Number)
    .refine((number) => number >= min && number <= max, `must be from ${min} to ${max}`)
    .default(byDefault)

/** Splits a comma-separated list. */
export const toItems = (items: string) =>
  items
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '')

/** A comma-separated list that must be there. */
export const list = (what: string) =>
  required(what)
    .transform(toItems)
    .refine((items) => items.length > 0, `is empty: ${what}`)

/** A comma-separated list, empty by default. */
export const optionalList = () => z.string().default('').transform(toItems)

/** Returns the first item that is in a list twice, by its key. */
export function findTwice<T>(items: readonly T[], keyOf: (item: T) => string): T | undefined {
  const keys = items.map(keyOf)
  return items.find((_, place) => keys.indexOf(keys[place] ?? '') !== place)
}

/** Returns one form of a URL that is written in several; of other text, the text. */
export const toOneUrl = (text: string) => (URL.canParse(text) ? new URL(text).href.replace(/\/+$/, '') : text)

/** A list of http or https URLs, each once. */
export const urls = (what: string) =>
  list(what)
    .refine((items) => items.every(isHttpUrl), { error: 'must be http or https URLs', abort: true })
    .superRefine((items, context) => {
      const twice = findTwice(items, toOneUrl)
      // Its path may be a key.
      if (twice !== undefined)
        context.addIssue(
          `names ${new URL(twice).host} twice: a URL cannot stand in for itself, nor confirm itself`,
        )
    })

/**
 * Parses items such as `bazaar=https://…` or, with a name, `file:ours=/etc/urls.txt`.
 * @param nameOf default name of a source of a kind
 */
export const toSources =
  <Kind extends string>(kinds: readonly Kind[], nameOf: (kind: Kind) => string) =>
  (items: string[], context: z.RefinementCtx): SourceConfig<Kind>[] => {
    const sources = items.flatMap((item) => {
      const [, wanted, name, location = ''] = /^([a-z0-9-]+)(?::([a-z0-9-]{1,32}))?=(\S+)$/.exec(item) ?? []
      const kind = kinds.find((known) => known === wanted)
      if (kind === undefined || (kind !== 'file' && !isHttpUrl(location))) {
        const forms = kinds.map((known) => `${known}=${known === 'file' ? 'PATH' : 'URL'}`)
        context.addIssue(`"${item}" must be ${forms.slice(0, -1).join(', ')} or ${forms.at(-1)}`)
        return []
      }
      const source = { kind, name: name ?? nameOf(kind), location }
      if (kind === 'file' || !hasLogin(location)) return [source]
      context.addIssue(`${source.name}: its URL ${NO_LOGIN}`)
      return []
    })
    const place = findTwice(sources, ({ location }) => toOneUrl(location))
    const named = findTwice(sources, ({ name }) => name)
    if (place !== undefined)
      context.addIssue(`names the directory of "${place.name}" twice: its rows would count double`)
    else if (named !== undefined)
      context.addIssue(
        `names two directories "${named.name}": give one another name, such as ${named.kind}:other=${named.kind === 'file' ? 'PATH' : 'URL'}`,
      )
    return sources
  }

/** Settings of how a process ends, by name. */
export const stopSettings = { STOP_SECONDS: integer(2, 600, 30) }

/** HTTP headers, one `Name: value` per line. */
export const headers = z
  .string()
  .default('')
  .transform((lines, context) => {
    const pairs: Record<string, string> = {}
    for (const line of lines.split('\n').filter((part) => part.trim() !== '')) {
      const colon = line.indexOf(':')
      if (colon < 1) context.addIssue('must be lines of "Name: value"')
      else pairs[line.slice(0, colon).trim()] = line.slice(colon + 1).trim()
    }
    try {
      new Headers(pairs)
    } catch {
      // Its message quotes the value, as that of each request would.
      context.addIssue('has a name or value that a header cannot have')
    }
    return pairs
  })

/** Leaves out settings that are empty, unless they must be there: an empty one counts as not set. */
export function withoutEmpty(
  settings: Readonly<Record<string, z.ZodType>>,
  environment: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string | undefined>> {
  const isOptional = (name: string) => settings[name]?.safeParse(undefined).success === true
  return Object.fromEntries(
    Object.entries(environment).filter(([name, value]) => value !== '' || !isOptional(name)),
  )
}

/** Returns one line per missing or wrong setting. */
export function describeProblems({ issues }: z.ZodError): string[] {
  return issues.map(({ path, message }) => `${path.join('.')} ${message}`)
}
