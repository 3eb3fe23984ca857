import { getAddress } from 'viem'
import { expect, test } from 'vitest'
import { cleanText, linkable, shortenAddress, showAddress, showControls } from './text.ts'

test('default', () => {
  expect(cleanText('  Weather \n for\tyou ')).toBe('Weather for you')
  expect(shortenAddress('0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913')).toBe('0x833589…A02913')
})

test('behavior: removes bidirectional and invisible characters, keeps all scripts', () => {
  expect(cleanText('pay\u202egnp.exe\u200b\u2066!\u0000')).toBe('paygnp.exe!')
  expect(cleanText('\u{e0041}a\ud800b')).toBe('ab')
  expect(cleanText('مرحبا नमस्ते 天気')).toBe('مرحبا नमस्ते 天気')
  expect(cleanText(`a${'\u0301'.repeat(50)}b`)).toBe('a\u0301\u0301\u0301b')
})

test('behavior: cuts long text between characters', () => {
  expect(cleanText('😀'.repeat(10_000), 5)).toBe('😀😀😀😀…')
})

test('error: refuses links other than http and https', () => {
  expect(linkable('https://basescan.org/tx/0x1')).toBe('https://basescan.org/tx/0x1')
  for (const url of [
    'javascript:alert(1)',
    'data:text/html,x',
    ' https://a',
    'caip10:eip155:1:0x1',
    '//a.example',
  ])
    expect(linkable(url)).toBeUndefined()
})

test('behavior: addresses are checksummed and shortened alike, and other text is left alone', () => {
  const address = '0xd4db664b707353422b1ffc94038cdd0a7d074d51'
  expect(showAddress(address)).toBe(getAddress(address))
  expect(shortenAddress(address)).toBe(shortenAddress(getAddress(address)))
  expect(shortenAddress(address)).toMatch(/^0x[\da-fA-F]{6}…[\da-fA-F]{6}$/)
  for (const other of ['live', '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp', '0x12', ''])
    expect(showAddress(other)).toBe(other)
})

test('behavior: shows invisible characters of text that is read as it came', () => {
  expect(showControls('{"a":\u202e1}\n\ttab')).toBe('{"a":\\u{202e}1}\n\ttab')
})
