/** Common media types, each with the extension of its files. Source: https://www.iana.org/assignments/media-types. */
const EXTENSIONS: Readonly<Record<string, string>> = {
  'application/atom+xml': 'xml',
  'application/geo+json': 'json',
  'application/gzip': 'gz',
  'application/javascript': 'js',
  'application/json': 'json',
  'application/jsonl': 'jsonl',
  'application/ld+json': 'json',
  'application/msword': 'doc',
  'application/octet-stream': 'bin',
  'application/pdf': 'pdf',
  'application/problem+json': 'json',
  'application/rss+xml': 'xml',
  'application/rtf': 'rtf',
  'application/vnd.openxmlformats-officedocument.presentationml.presentation': 'pptx',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'xlsx',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'docx',
  'application/wasm': 'wasm',
  'application/x-ndjson': 'jsonl',
  'application/x-www-form-urlencoded': 'txt',
  'application/xhtml+xml': 'html',
  'application/xml': 'xml',
  'application/yaml': 'yaml',
  'application/zip': 'zip',
  'audio/aac': 'aac',
  'audio/flac': 'flac',
  'audio/mp4': 'm4a',
  'audio/mpeg': 'mp3',
  'audio/ogg': 'ogg',
  'audio/wav': 'wav',
  'audio/webm': 'weba',
  'font/ttf': 'ttf',
  'font/woff': 'woff',
  'font/woff2': 'woff2',
  'image/avif': 'avif',
  'image/bmp': 'bmp',
  'image/gif': 'gif',
  'image/jpeg': 'jpg',
  'image/png': 'png',
  'image/svg+xml': 'svg',
  'image/tiff': 'tiff',
  'image/webp': 'webp',
  'text/calendar': 'ics',
  'text/css': 'css',
  'text/csv': 'csv',
  'text/event-stream': 'txt',
  'text/html': 'html',
  'text/javascript': 'js',
  'text/markdown': 'md',
  'text/plain': 'txt',
  'text/xml': 'xml',
  'text/yaml': 'yaml',
  'video/mp4': 'mp4',
  'video/ogg': 'ogv',
  'video/quicktime': 'mov',
  'video/webm': 'webm',
}

const essenceOf = (header: string | null) => header?.split(';', 1)[0]?.trim().toLowerCase() ?? ''

/** Returns the media type of a Content-Type if it is a common one, else null: any other may be a text for a model. */
export function findMediaType(header: string | null): string | null {
  const type = essenceOf(header)
  return Object.hasOwn(EXTENSIONS, type) ? type : null
}

/** Returns the extension of a file of that Content-Type. */
export function extensionOf(header: string | null): string {
  return EXTENSIONS[findMediaType(header) ?? ''] ?? 'bin'
}

const TEXT_TYPE =
  /^text\/|[/+.-](json|jsonl|ndjson|json-seq|xml|yaml|toml|javascript|ecmascript|graphql|sql)$|urlencoded$/
/** Byte order marks, which name the charset before all else. Source: Encoding standard, BOM sniff. */
const MARKS: readonly [string, string][] = [
  ['efbbbf', 'utf-8'],
  ['feff', 'utf-16be'],
  ['fffe', 'utf-16le'],
]

/**
 * Decodes a text by its byte order mark, its declared charset, or else as UTF-8. Returns null for a body that is no text
 * by its type, or does not decode.
 * @param isCut whether the end is missing, which may fall within a character
 */
export function decodeText(bytes: Uint8Array, header: string | null, isCut: boolean): string | null {
  if (bytes.length === 0) return ''
  const [, declared] = /;\s*charset\s*=\s*"?([^\s";]+)/i.exec(header ?? '') ?? []
  const type = essenceOf(header)
  // A charset makes no text of a type that is known to be none.
  const isOther = declared === undefined || Object.hasOwn(EXTENSIONS, type)
  if (isOther && type !== '' && !TEXT_TYPE.test(type)) return null
  const start = Buffer.from(bytes.subarray(0, 3)).toString('hex')
  const [, marked] = MARKS.find(([mark]) => start.startsWith(mark)) ?? []
  try {
    const decoder = new TextDecoder(marked ?? declared ?? 'utf-8', { fatal: true })
    const text = decoder.decode(bytes, { stream: isCut })
    return type === '' && text.includes('\0') ? null : text
  } catch {
    return null
  }
}
