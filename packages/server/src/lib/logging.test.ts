import { expect, onTestFinished, test, vi } from 'vitest'
import { createLogger } from './logging.ts'

function capture(level?: 'debug' | 'info' | 'warn' | 'error') {
  const lines: string[] = []
  const log = createLogger({ ...(level && { level }), write: (line) => lines.push(line) })
  return { log, lines, last: () => JSON.parse(lines.at(-1) ?? '') }
}

test('default', () => {
  const { log, lines, last } = capture()
  log.info('listening', { url: 'http://127.0.0.1:1' })
  expect(last()).toMatchObject({ level: 'info', message: 'listening', url: 'http://127.0.0.1:1' })
  expect(last().time).toMatch(/^\d{4}-\d\d-\d\dT.*Z$/)
  expect(lines[0]).toMatch(/^\{"level":"info",/)
  log.debug('disabled')
  expect(lines).toHaveLength(1)
  expect(lines[0]?.endsWith('\n')).toBe(true)
})

test('behavior: redacts payment headers, keys and credentials', () => {
  const { log, lines } = capture()
  const headers = {
    'payment-signature': 'S3CRET',
    'x-payment': 'S3CRET',
    authorization: 'S3CRET',
    accept: 'x',
  }
  log.info('top', headers)
  log.info('one down', { headers })
  log.info('two down', { request: { headers }, privateKey: 'S3CRET', wallet: { privateKey: 'S3CRET' } })
  expect(lines.join('')).not.toContain('S3CRET')
  expect(lines.join('')).toContain('"accept":"x"')
})

test('behavior: escapes and truncates text of sellers', () => {
  const { log, lines, last } = capture()
  const text = 'a"}\n{"level":"fatal"}\u001b[2J\u009b31m\u202eevil\u2028'
  log.warn(text, { seller: text, long: 'x'.repeat(100_000) })
  expect(lines).toHaveLength(1)
  expect(lines[0]?.trimEnd()).toMatch(/^[\x20-\x7e\u2026]*$/)
  expect(last().seller).toBe(text)
  expect(last().level).toBe('warn')
  expect(lines[0]?.length).toBeLessThan(6000)
})

test('behavior: hides secrets in URLs of messages and fields', () => {
  const { log, lines } = capture()
  log.warn('https://u:S3CRET@rpc.example/v2/S3CRET-1 fails', { error: 'GET https://rpc.example/?key=S3CRET' })
  expect(lines.join('')).not.toContain('S3CRET')
  expect(lines.join('')).toContain('https://rpc.example/v2/…')
})

test('behavior: a merged warning lists the requests and payments of all', () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const { log, last } = capture()
  for (let call = 1; call <= 3; call++)
    log.warn('payment: verify failed', {
      event: 'payment_failed',
      requestId: `r-${call}`,
      receipt: `p-${call}`,
    })
  expect(last()).toMatchObject({ requestId: 'r-1', receipt: 'p-1' })
  vi.advanceTimersByTime(60_000)
  expect(last()).toMatchObject({
    times: 3,
    requestIds: ['r-1', 'r-2', 'r-3'],
    receipts: ['p-1', 'p-2', 'p-3'],
  })
  for (let call = 1; call <= 80; call++)
    log.warn('payment: verify failed', { event: 'payment_failed', requestId: `r-${call}` })
  vi.advanceTimersByTime(60_000)
  expect((last().requestIds as string[]).length).toBe(50)
})

test('behavior: writes an equal warning again once a minute, with the number of times', () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const { log, lines, last } = capture()
  for (let time = 1; time <= 23; time++) log.warn('the disk is full', { event: 'disk_full', free: time })
  log.warn('another')
  log.info('the disk is full')
  expect(lines).toHaveLength(3)
  vi.advanceTimersByTime(60_000)
  expect(lines).toHaveLength(4)
  expect(last()).toMatchObject({
    message: 'the disk is full (23 times in the last minute)',
    event: 'disk_full',
    free: 23,
    times: 23,
    level: 'warn',
  })
  log.warn('the disk is full')
  expect(lines).toHaveLength(4)
  vi.advanceTimersByTime(60_000)
  expect(last()).toMatchObject({ message: 'the disk is full (once in the last minute)', times: 1 })
  // It rests for a minute, and is written at once again.
  vi.advanceTimersByTime(60_000)
  expect(lines).toHaveLength(5)
  log.warn('the disk is full')
  expect(last()).toMatchObject({ message: 'the disk is full' })
})
