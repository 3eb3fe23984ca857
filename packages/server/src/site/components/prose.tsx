import type { ComponentChildren } from 'preact'
import type { Time } from '../../domain/facts/facts.ts'
import { formatAge, formatDate, formatTime } from '../format.ts'
import { cleanText, linkable, shortenMiddle } from '../text.ts'

/** Text by a seller or a directory: cleaned, escaped, and kept from turning the text around it. */
export function Seller({ text, max }: { text: string; max?: number }) {
  return <bdi dir="auto">{cleanText(text, max)}</bdi>
}

/** A link to somebody else's page; plain text where the address is none that a browser may follow. */
export function OutLink({ href, children }: { href: string; children: ComponentChildren }) {
  const target = linkable(href)
  if (target === undefined) return <span>{children}</span>
  return (
    <a href={target} rel="nofollow noopener noreferrer">
      {children}
    </a>
  )
}

/** A moment in full, with its age where `now` is given. */
export function Moment({ at, now }: { at: Time; now?: Time }) {
  return (
    <time dateTime={new Date(at).toISOString()}>
      {formatTime(at)}
      {now !== undefined && <span class="muted"> ({formatAge(at, now)})</span>}
    </time>
  )
}

/** A day. */
export function Day({ at }: { at: Time }) {
  return <time dateTime={new Date(at).toISOString().slice(0, 10)}>{formatDate(at)}</time>
}

/** An address or hash, shortened for the eye and whole for the pointer. */
export function Address({ value, href }: { value: string; href?: string }) {
  const whole = cleanText(value, 120)
  const short = (
    <code class="address" title={whole}>
      {shortenMiddle(whole, 8, 6)}
    </code>
  )
  return href === undefined ? short : <OutLink href={href}>{short}</OutLink>
}

/** An endpoint's URL: what all endpoints of the host share is quiet, the path stands out. */
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
