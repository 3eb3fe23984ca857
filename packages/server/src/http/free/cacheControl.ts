/** A Cache-Control header. */
export type CacheControl = {
  readonly text: string
  /** Unix time in ms from which the header would differ. */
  readonly until: number
}

/**
 * Returns the Cache-Control of a free answer: caches hold it for `maxAgeSeconds`, but never beyond its expiry.
 * @param expiresAt Unix time in ms
 * @param now Unix time in ms, by the same clock
 */
export function cacheControl(
  maxAgeSeconds: number,
  expiresAt: number | undefined,
  now: number,
): CacheControl {
  const expiry = expiresAt ?? Number.POSITIVE_INFINITY
  const left = Math.min(2 * maxAgeSeconds, Math.max(0, Math.floor((expiry - now) / 1000)))
  const maxAge = Math.min(maxAgeSeconds, left)
  const text = `public, max-age=${maxAge}, stale-while-revalidate=${left - maxAge}`
  return { text, until: expiry - left * 1000 + 1 }
}
