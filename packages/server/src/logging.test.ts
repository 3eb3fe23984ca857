import { expect, test } from 'vitest'
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
