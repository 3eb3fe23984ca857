import type { ServerResponse } from 'node:http'
import { onTestFinished } from 'vitest'
import { createPublicFetch, type PublicFetchOptions } from '../node/publicFetch.ts'
import { listen } from './listen.ts'

/** Starts a server, and a fetch that reaches it, until the end of the test. */
export async function setUpFetch(
  answer: (response: ServerResponse) => void,
  options: PublicFetchOptions = {},
) {
  const server = await listen((_, response) => answer(response))
  onTestFinished(() => server.stop())
  const fetch = createPublicFetch({ allowPrivateHosts: true, env: {}, ...options })
  return { url: server.url, fetch }
}

/** Returns the text of an answer, or the name of the error without one. */
export const outcomeOf = (call: Promise<Response>) =>
  call.then((response) => response.text()).catch((error: Error) => error.name ?? error)
