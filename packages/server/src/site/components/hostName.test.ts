import { h } from 'preact'
import { renderToString } from 'preact-render-to-string'
import { expect, test } from 'vitest'
import { HostName } from './prose.tsx'

const show = (host: string) => renderToString(h(HostName, { host })).replace(/<[^>]*>/g, '')

test('default: a host name is shown decoded beside its ASCII form, with the scripts that it mixes', () => {
  expect(show('api.example.com')).toBe('api.example.com')
  expect(show(new URL('https://bücher.example/').host)).toBe('xn--bcher-kva.example (reads bücher.example)')
  expect(show(new URL('https://p\u0430ypal.example/').host)).toBe(
    'xn--pypal-4ve.example (reads p\u0430ypal.example, mixes Latin and Cyrillic)',
  )
})

test('behavior: a name written from right to left is isolated, and one with deceptive characters is shown in ASCII alone', () => {
  const { host } = new URL('https://דוגמה.example/')
  expect(renderToString(h(HostName, { host }))).toContain('<bdi dir="auto">דוגמה.example</bdi>')
  // U+202E RIGHT-TO-LEFT OVERRIDE and U+200B ZERO WIDTH SPACE, as no parser of URLs lets them through.
  for (const hostile of ['xn--ab-g4t.example', 'xn--ab-g1t.example']) expect(show(hostile)).toBe(hostile)
})
