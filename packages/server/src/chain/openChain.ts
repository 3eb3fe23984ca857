import type { Chain, ChainOptions } from '@touchstone402/transfers'
import { type ChainThreadOptions, createThreadChain } from './createThreadChain.ts'

/**
 * Opens a chain in a worker thread, or in the calling thread, which then loads the reader.
 * @param thread null for the calling thread
 * @param onWarmError called with the reason if a token of `warmTokens` cannot be read; it is tried again
 */
export async function openChain(
  options: ChainOptions,
  thread: ChainThreadOptions | null,
  onWarmError: (token: string, error: unknown) => void,
): Promise<Chain> {
  if (thread !== null) return createThreadChain(options, thread, onWarmError)
  const { createChain } = await import('@touchstone402/transfers')
  return createChain(options, onWarmError)
}
