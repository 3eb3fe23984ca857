import { MoneyError } from '@touchstone402/shared'
import type { TokenAnswers, TokenQuery } from '@touchstone402/transfers'
import { ChainError, type ChainErrorCode, TokenError } from '@touchstone402/transfers/errors'
import { expect, test } from 'vitest'
import { ProblemError } from '../../lib/problemError.ts'
import { tokenHandlers } from './tokenHandlers.ts'

const QUERY = { token: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913', window: '6h', partial: true } as const
const context = () => ({ signal: new AbortController().signal, payer: QUERY.token })

/** Creates operations over token answers that all do the same. */
const over = (act: (query: TokenQuery) => Promise<never>) => {
  const tokens: TokenAnswers = { pulse: act, whales: act, flow: act, momentum: act }
  return tokenHandlers(tokens, 500)
}

/** Returns the refusal of an error. */
const refusalOf = async (error: Error) => {
  const operations = over(() => Promise.reject(error))
  const told = await operations.whales(QUERY, context()).catch((thrown: unknown) => thrown)
  return told instanceof ProblemError ? told.refusal : told
}

test('default', async () => {
  const asked: TokenQuery[] = []
  const operations = over((query) => {
    asked.push(query)
    return Promise.reject(new TokenError('not_erc20', 'no'))
  })
  const { signal, payer } = context()
  const before = Date.now()
  for (const id of ['pulse', 'whales', 'flow', 'momentum'] as const)
    await expect(operations[id](QUERY, { signal, payer })).rejects.toThrow('no.')
  expect(asked).toHaveLength(4)
  for (const { deadlineAt = 0, ...query } of asked) {
    expect(query).toEqual({ ...QUERY, signal })
    expect(deadlineAt - before).toBeGreaterThanOrEqual(500)
    expect(deadlineAt - before).toBeLessThan(1500)
  }
})

test('error: an address that is not a token is 404 with the reason', async () => {
  expect(await refusalOf(new TokenError('not_a_contract', 'It holds no code'))).toEqual({
    status: 404,
    code: 'not_a_contract',
    detail: 'It holds no code.',
  })
})

test('error: a threshold with more decimals than the token is an invalid query', async () => {
  expect(await refusalOf(new MoneyError('expected at most 6 digits after the point'))).toMatchObject({
    status: 400,
    code: 'invalid_query',
    errors: [{ parameter: 'min' }],
  })
})

test('error: an unavailable chain is 503 with Retry-After, without the text of the RPC', async () => {
  const codes: ChainErrorCode[] = [
    'unreachable',
    'deadline',
    'disagreement',
    'not_there_yet',
    'too_large',
    'reverted',
    'bad_answer',
  ]
  for (const code of codes) {
    const refusal = await refusalOf(new ChainError(code, 'RPC 0 said https://key@rpc.example'))
    expect(refusal).toMatchObject({ status: 503, code: `chain_${code}` })
    expect(refusal).toHaveProperty('retryAfterSeconds', expect.any(Number))
    expect(JSON.stringify(refusal)).not.toContain('rpc.example')
  }
})

test('error: other errors pass unchanged', async () => {
  const fault = new TypeError('a fault of ours')
  expect(await refusalOf(fault)).toBe(fault)
})
