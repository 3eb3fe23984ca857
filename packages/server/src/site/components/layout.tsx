import type { ComponentChildren } from 'preact'
import type { Config } from '../../config/config.ts'
import { PAGE_SCRIPT_HASH, PAGE_SCRIPT_URL } from '../../http/pageScript.ts'
import { STYLE_URL } from '../assets.ts'
import { ABOUT_PATH, LOG_PATH, reportPath, TOKENS_PATH } from '../paths.ts'
import { MarkSprite } from './verdictMark.tsx'

/** Size of a share card in pixels, as social networks ask for it. */
export const CARD_SIZE = { width: 1200, height: 630 } as const

const SECTIONS = [
  { href: '/', label: 'Services' },
  { href: TOKENS_PATH, label: 'Tokens' },
  { href: '/feed', label: 'Feed' },
  { href: reportPath(), label: 'Reports' },
  { href: '/methodology', label: 'Method' },
  { href: '/docs', label: 'Docs' },
  { href: LOG_PATH, label: 'Log' },
] as const

export type LayoutProps = {
  readonly title: string
  readonly description: string
  /** Path of the page without its query. */
  readonly path: string
  /** The operator is named at the foot. */
  readonly config: Pick<Config, 'publicUrl' | 'operator'>
  /** Keeps the page out of search engines. */
  readonly isUnlisted?: boolean
  /** The page has its own search field, so the header shows none. */
  readonly hasOwnSearch?: boolean
  /** RSS feeds of what the page shows. */
  readonly feeds?: readonly { readonly href: string; readonly title: string }[]
  /** Path of the picture that previews of links show. @default none */
  readonly card?: string
  readonly children: ComponentChildren
}

/** The frame of every page: head, navigation, search, footer. */
export function Layout(props: LayoutProps) {
  const { title, description, path, card, feeds = [], children } = props
  const { publicUrl, operator } = props.config
  // Source: ogp.me.
  const preview = {
    'og:type': 'website',
    'og:site_name': 'Touchstone',
    'og:url': publicUrl + path,
    'og:title': title,
    'og:description': description,
    ...(card !== undefined && {
      'og:image': publicUrl + card,
      'og:image:width': `${CARD_SIZE.width}`,
      'og:image:height': `${CARD_SIZE.height}`,
    }),
  }
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>{title}</title>
        <meta name="description" content={description} />
        <meta name="color-scheme" content="light dark" />
        {props.isUnlisted && <meta name="robots" content="noindex" />}
        <link rel="icon" href="/assets/icon.svg" type="image/svg+xml" />
        <link rel="stylesheet" href={STYLE_URL} />
        <script src={PAGE_SCRIPT_URL} integrity={PAGE_SCRIPT_HASH} defer />
        <link rel="canonical" href={`${publicUrl}${path}`} />
        {feeds.map(({ href, title }) => (
          <link rel="alternate" type="application/rss+xml" title={title} href={href} />
        ))}
        {Object.entries(preview).map(([name, value]) => (
          <meta property={name} content={value} />
        ))}
        <meta name="twitter:card" content={card === undefined ? 'summary' : 'summary_large_image'} />
      </head>
      <body>
        <MarkSprite />
        <a class="skip" href="#main">
          Skip to the content
        </a>
        <header class="top">
          <div class="wrap">
            <a class="brand" href="/">
              <img src="/assets/icon.svg" alt="" width={30} height={30} />
              Touchstone
            </a>
            <nav aria-label="Main">
              {SECTIONS.map(({ href, label }) => (
                <a href={href} {...(href === path && { 'aria-current': 'page' as const })}>
                  {label}
                </a>
              ))}
            </nav>
            {!props.hasOwnSearch && <Search />}
          </div>
        </header>
        <main id="main" class="wrap">
          {children}
        </main>
        <footer class="foot">
          <p class="wrap">
            Verdicts are dated measurements. <a href="/methodology">How we measure</a> ·{' '}
            <a href={`${ABOUT_PATH}#disputes`}>Report an error</a> · Run by {operator.name} ·{' '}
            <a href={ABOUT_PATH}>About</a>
          </p>
        </footer>
      </body>
    </html>
  )
}

/** Asks for a verdict by URL, host or receiver. A plain form, so it works without scripts. A page has one. */
export function Search({ query, isLarge = false }: { query?: string | undefined; isLarge?: boolean }) {
  return (
    <form class={isLarge ? 'search large' : 'search'} action="/" method="get">
      <label class="hidden" for="q">
        URL or host of an x402 endpoint, or address of a receiver
      </label>
      <input
        id="q"
        name="q"
        type="search"
        value={query ?? ''}
        placeholder={isLarge ? 'URL, host or address' : 'Host or URL'}
        autocomplete="off"
        autocapitalize="none"
        spellcheck={false}
      />
      <button type="submit">Check</button>
    </form>
  )
}
