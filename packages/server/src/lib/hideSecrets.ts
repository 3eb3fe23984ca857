const SCHEME = '[a-z][a-z0-9+.-]{0,15}://'
/** A URL within prose, JSON or a comma-separated list, without punctuation behind it. */
const URLS = new RegExp(
  String.raw`\b${SCHEME}(?:(?!,${SCHEME})[^\s"'<>\\` +
    '`' +
    String.raw`])*[^\s"'<>\\` +
    '`' +
    String.raw`.,:;!?)\]}]`,
  'gi',
)

/**
 * Hides what may be secret in the URLs of a text: credentials, query, fragment, and parts of the path that look like keys,
 * such as the one in `https://rpc.example/v2/KEY`. Host and readable parts of the path stay.
 */
export function hideSecrets(text: string): string {
  return text.replace(URLS, hideInUrl)
}

/** Leaves only the hosts of the URLs of a text, which may go to others whole. */
export function keepHosts(text: string): string {
  return text.replace(URLS, (url) => (URL.canParse(url) ? new URL(url).host : schemeOf(url)))
}

const schemeOf = (url: string) => `${url.slice(0, url.indexOf('://'))}://…`

function hideInUrl(text: string): string {
  if (!URL.canParse(text)) return schemeOf(text)
  const { protocol, host, username, password, pathname, search, hash } = new URL(text)
  const parts = pathname.split('/')
  const shown = parts.map((part, index) =>
    isKey(part, parts[index - 1], index === parts.length - 1) ? '…' : part,
  )
  const path = shown.join('/')
  if (`${username}${password}${search}${hash}` === '' && path === pathname) return text
  return `${protocol}//${host}${path}${search && '?…'}${hash && '#…'}`
}

/** Words between dashes, which keys are not. */
const WORDS = /^(?:[a-z]+\d{0,4}|\d{1,4})(?:[-_.](?:[a-z]+\d{0,4}|\d{1,4}))*$/
/** An address, which is public. */
const ADDRESS = /^0x[0-9a-f]{40}$/i

function isKey(part: string, before: string | undefined, isLast: boolean): boolean {
  if (ADDRESS.test(part)) return false
  if (/^(?:0x)?[0-9a-f-]{16,}$/i.test(part) && /\d/.test(part)) return true
  if (isLast && part.length >= 8 && /^v\d+$/.test(before ?? '') && /[A-Z\d]/.test(part)) return true
  if (part.length >= 20 && /\d/.test(part) && /[a-z]/i.test(part)) return !WORDS.test(part)
  return part.length >= 28 && /[a-z]/.test(part) && /[A-Z]/.test(part)
}
