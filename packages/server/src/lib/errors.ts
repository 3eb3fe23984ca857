import { hideSecrets } from './hideSecrets.ts'

/** Returns the message of an error, or any other thrown value as text, without secrets of URLs. */
export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return hideSecrets(String(error))
  // Fetch puts its reason into the cause, and nothing but "fetch failed" into the message.
  const reason =
    error.message === 'fetch failed' && error.cause instanceof Error ? messageOf(error.cause) : ''
  return hideSecrets(reason === '' ? error.message : `${error.message}: ${reason}`)
}

/** Returns the system code of an error, such as `ENOENT`. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
}
