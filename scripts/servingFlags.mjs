import { readFileSync } from 'node:fs'

/** How Node is run to serve: what the Dockerfile gives it. */
export function servingFlags() {
  const dockerfile = readFileSync(new URL('../Dockerfile', import.meta.url), 'utf8')
  const [, entrypoint] = /^ENTRYPOINT (.*)$/m.exec(dockerfile)
  return JSON.parse(entrypoint).filter((word) => word.startsWith('--'))
}
