import { OPERATIONS, PAID_OPERATIONS } from '@touchstone402/shared'
import type { Page } from '../http/deps.ts'
import { listHosts } from '../readModel/listHosts.ts'
import type { PageDeps } from './pageDeps.ts'
import { LOG_PATH, profilePath } from './paths.ts'
import { escapeXml } from './rss.ts'

const PLACES = ['/', '/feed', '/reports', '/methodology', '/docs', LOG_PATH]
/** The limit of the sitemap protocol is 50,000 URLs. */
const MAX_HOSTS = 20_000
const HOUR_SECONDS = 3600

/** Creates `/robots.txt` and `/sitemap.xml`. Crawlers may read every page, but not what costs or repeats. */
export function createRobotsPages({ store, clock, publicUrl }: PageDeps): Page[] {
  const paid = [...new Set(PAID_OPERATIONS.map((id) => OPERATIONS[id].path))]
  const robots = [
    'User-agent: *',
    ...[...paid, '/services/*/recheck', '/*?'].map((path) => `Disallow: ${path}`),
    '',
    `Sitemap: ${publicUrl}/sitemap.xml`,
    '',
  ].join('\n')
  return [
    {
      path: '/robots.txt',
      handler: () => ({ type: 'text/plain; charset=utf-8', body: robots, maxAgeSeconds: HOUR_SECONDS }),
    },
    {
      path: '/sitemap.xml',
      handler: async () => {
        const paths = [...PLACES]
        for await (const host of listHosts(store, { order: 'names', limit: MAX_HOSTS }, clock.now()))
          paths.push(profilePath(host))
        const urls = paths.map((path) => `<url><loc>${escapeXml(publicUrl + path)}</loc></url>`)
        const body = [
          '<?xml version="1.0" encoding="UTF-8"?>',
          '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">',
          ...urls,
          '</urlset>',
          '',
        ].join('\n')
        return { type: 'application/xml; charset=utf-8', body, maxAgeSeconds: HOUR_SECONDS }
      },
    },
  ]
}
