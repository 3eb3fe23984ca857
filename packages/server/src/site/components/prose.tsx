import type { ComponentChildren } from 'preact'
import { addressProof } from '../../facts/explorer.ts'
import type { Time } from '../../facts/facts.ts'
import { showHost } from '../../facts/hostNames/hostNames.ts'
import { toDate } from '../../facts/times.ts'
import { formatAge, formatTime } from '../format.ts'
import { cleanText, linkable, shortenAddress, showAddress } from '../text.ts'

/** Text from a seller or directory: cleaned, escaped and isolated from the direction of the surrounding text. */
export function Seller({ text, max }: { text: string; max?: number }) {
  return <bdi dir="auto">{cleanText(text, max)}</bdi>
}

/** Name of a host, with its decoded form beside it where it has characters beyond ASCII, and the scripts that it mixes. */
export function HostName({ host, max = 80 }: { host: string; max?: number }) {
  const { unicode, mixed } = showHost(host)
  const scripts = mixed.length > 0 ? ` mixes ${mixed.join(' and ')}` : ''
  return (
    <>
      <Seller text={host} max={max} />
      {unicode !== null && (
        <span class="muted">
          {' '}
          (reads <Seller text={unicode} max={max} />
          {scripts === '' ? '' : `,${scripts}`})
        </span>
      )}
      {unicode === null && scripts !== '' && <span class="muted"> ({scripts.trim()})</span>}
    </>
  )
}

/** Link to another site; plain text if the URL is not http or https. */
export function OutLink({ href, children }: { href: string; children: ComponentChildren }) {
  const target = linkable(href)
  if (target === undefined) return <span>{children}</span>
  return (
    <a href={target} rel="nofollow noopener noreferrer">
      {children}
    </a>
  )
}

/** Date and time, followed by the age if `now` is given. */
export function Moment({ at, now }: { at: Time | string; now?: Time }) {
  const date = new Date(at)
  return (
    <time dateTime={date.toISOString()}>
      {formatTime(date.getTime())}
      {now !== undefined && <span class="muted"> ({formatAge(date.getTime(), now)})</span>}
    </time>
  )
}

/** Date in UTC. */
export function Day({ at }: { at: Time | string }) {
  const date = toDate(new Date(at).getTime())
  return <time dateTime={date}>{date}</time>
}

/** The network whose explorer is linked, as a CAIP-2 id. @default no link */
type Linked = { readonly network?: string | undefined }

/** Address or hash, checksummed and shortened, with the full value as its tooltip. */
export function Address({ value, network }: Linked & { value: string }) {
  const target = network && addressProof(network, value, null).explorerUrl
  const short = (
    <code class="address" title={showAddress(value)}>
      {shortenAddress(value)}
    </code>
  )
  return target === undefined ? short : <OutLink href={target}>{short}</OutLink>
}

/** A sentence about measurements, with the addresses in it shortened. */
export function Measured({ text, max, network }: Linked & { text: string; max: number }) {
  const parts = cleanText(text, max).split(/(0x[0-9a-fA-F]{40})(?![0-9a-fA-F])/)
  return (
    <bdi dir="auto">
      {parts.map((part, index) => (index % 2 === 1 ? <Address value={part} network={network} /> : part))}
    </bdi>
  )
}

/** URL of an endpoint with its origin muted. */
export function EndpointName({ url, max = 110 }: { url: string; max?: number }) {
  const clean = cleanText(url, max)
  const [, origin = '', path = clean] = /^([a-z]+:\/\/[^/]*)(\/.*)$/.exec(clean) ?? []
  return (
    <bdi class="endpoint" dir="ltr">
      <span class="muted">{origin}</span>
      <wbr />
      {path}
    </bdi>
  )
}

/** Code to copy. */
export function Snippet({ label, code }: { label: string; code: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scroll regions must be reachable by keyboard
    <section class="snippet" tabIndex={0} aria-label={label}>
      <pre>
        <code>{code}</code>
      </pre>
    </section>
  )
}
