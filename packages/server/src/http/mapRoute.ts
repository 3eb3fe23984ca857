import { createHash } from 'node:crypto'
import type { Request, Response } from 'express'
import { LATEST, type MapFiles } from '../ports/mapFiles.ts'
import { ProblemError } from './problems.ts'

const NAME = /^(latest|[1-9]\d{0,14}(-[1-9]\d{0,14})?)$/
/** The header changes at most every 10 minutes; its readers look for it every five. */
const LATEST_CONTROL = 'public, max-age=30'
/** A version and a diff never change. */
const IMMUTABLE = 'public, max-age=31536000, immutable'

const notFound = () => new ProblemError(404, 'not_found', 'There is no such file of the map.')

/** Creates the handler of the map's files. They are sent as they are: hashes do not compress. */
export function createMapRoute(files: Pick<MapFiles, 'read'>) {
  return async (request: Request, response: Response): Promise<void> => {
    const { name } = request.params
    if (typeof name !== 'string' || !NAME.test(name)) throw notFound()
    const isLatest = name === LATEST
    const isCached = (tag: string) => request.get('If-None-Match')?.includes(`"${tag}"`) === true
    const head = (tag: string) => {
      response.setHeader('ETag', `"${tag}"`)
      response.setHeader('Cache-Control', isLatest ? LATEST_CONTROL : IMMUTABLE)
    }
    // The name of a version or a diff is its content's identity, so no file is read for a reader who has it.
    if (!isLatest && isCached(name)) {
      head(name)
      response.status(304).end()
      return
    }
    const bytes = await files.read(name)
    if (bytes === undefined) throw notFound()
    const tag = isLatest ? createHash('sha256').update(bytes).digest('base64url').slice(0, 27) : name
    head(tag)
    if (isLatest && isCached(tag)) {
      response.status(304).end()
      return
    }
    response.setHeader('Content-Type', isLatest ? 'text/plain; charset=utf-8' : 'application/octet-stream')
    response.setHeader('Content-Length', bytes.length)
    if (request.method === 'HEAD') response.end()
    else response.end(bytes)
  }
}
