import { expect, test } from 'vitest'
import { findForbidden } from './replyText.ts'

test.each([
  ['hidden_character', 'zero width space', 'We mo\u200bved.', 'U+200B'],
  ['hidden_character', 'right-to-left override', 'We \u202edevom.', 'U+202E'],
  ['hidden_character', 'isolate', 'We \u2066moved.', 'U+2066'],
  ['hidden_character', 'control', 'We moved.\u0007', 'U+0007'],
  ['hidden_character', 'tag', 'We moved.\u{e0041}', 'U+E0041'],
  ['hidden_character', 'line separator', 'We\u2028moved.', 'U+2028'],
  ['hidden_character', 'lone surrogate', 'We \ud800moved.', 'U+D800'],
  ['address', 'EVM address', `Pay 0x${'aB'.repeat(20)} now.`, `0x${'aB'.repeat(20)}`],
  ['address', 'short EVM address', 'Pay 0x280b…', '0x280b'],
  ['address', 'full-width EVM address', 'Pay ０ｘ280b4C9b.', '0x280b4C9b'],
  [
    'address',
    'Solana address',
    'Pay 7EcDhSYGxXyscszYEp35KHN8vvw3svAuLKTzXwCFLtV now.',
    '7EcDhSYGxXyscszYEp35KHN8vvw3svAuLKTzXwCFLtV',
  ],
  [
    'address',
    'Solana address without a digit',
    'SoLaNaAddreSSwithoutAdigitXyzQwErTyUi',
    'SoLaNaAddreSSwithoutAdigitXyzQwErTyUi',
  ],
  ['address', 'Bitcoin address', '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa', '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa'],
  ['address', 'bare hash', 'ab12'.repeat(10), 'ab12'.repeat(10)],
  ['address', 'EVM address after a space', 'Pay 0x 280bfd61aa22 9931ccdd0012', '0x 280bfd61aa22'],
  ['address', 'EVM address in small groups', 'Pay 0x28 0b fd 61', '0x28 0b fd 61'],
  ['address', 'EVM address with a Cyrillic letter', 'Pay 0\u0445280b', '0\u0445280b'],
  [
    'address',
    'two halves of an EVM address',
    `Pay ${'280bfd61aa'.repeat(2)} ${'9931ccdd00'.repeat(2)}.`,
    '280bfd61aa280bfd61aa',
  ],
  ['address', 'groups of an address', 'Pay 280b fd61 aa22\n9931, now.', '280b fd61 aa22\n9931'],
  ['address', 'part of an address within letters', 'Pay zz280bfd61aa229931zz', '280bfd61aa229931'],
  ['link', 'URL', 'See https://evil.example/pay.', 'https://evil.example/pay.'],
  ['link', 'scheme without a domain', 'Open wallet://pay', 'wallet://pay'],
  ['link', 'mail link', 'Write mailto:us', 'mailto:us'],
  ['link', 'IP address', 'Use 203.0.113.7 now', '203.0.113.7'],
  ['email', 'mail address', 'Write to help@evil.example.', 'help@evil.example.'],
  ['domain', 'URL without a scheme', 'See evil.example/pay.', 'evil.example'],
  ['domain', 'domain of others', 'See пример.рф', 'пример.рф'],
  ['domain', 'punycode domain', 'See xn--e1afmkfd.xn--p1ai', 'xn--e1afmkfd.xn--p1ai'],
  ['domain', 'ideographic full stop', 'See evil。example', 'evil.example'],
  ['domain', 'full-width domain', 'See ｅｖｉｌ．ｃｏｍ', 'evil.com'],
  ['domain', 'ENS name', 'Pay vitalik.eth', 'vitalik.eth'],
  ['domain', 'ENS name below', 'Pay shop.base.eth', 'shop.base.eth'],
  ['domain', 'Solana name', 'Pay bonfida.sol', 'bonfida.sol'],
])('error: refuses as %s: %s', (code, _, text, found) => {
  expect(findForbidden(text)).toMatchObject({
    parameter: 'text',
    code,
    message: expect.stringContaining(found),
  })
})

test.each([
  'We moved to a new treasury on 27 November; the old key is lost.',
  'The price was $0.01, i.e. 20 % less than before (e.g. 0.0125 USDC). Nothing else…',
  'x402 v2: our answer at 14:51 UTC was right. We said so on 2026-11-28.',
  'Donaudampfschifffahrtsgesellschaft und Rindfleischetikettierung',
  'Of 2026 11 28 a decade faced 2026 11 29, and on 2026-11-28 14:51:07 2026-11-29 we added 12 345.',
  'Call +49 30 1234 5678 90, or 0170 123 45 67. We faced a bad facade: 10x 5000 calls, 20x faster.',
  'The dead cafe faded; 3 bad ads fed a cabbage bed. Prices: 0.01, 0.02, 0.03, 0.04, 0.05, 0.06, 0.07.',
  'First line,\nsecond line.\r\n\tThird.',
  'Мы сменили кошелёк. 私たちは財布を変えました。古い鍵はありません。',
  '',
])('default: takes %j', (text) => {
  expect(findForbidden(text)).toBeUndefined()
})
