import { expect, test } from 'vitest'
import { registrableDomain } from './registrableDomain.ts'

test.each([
  ['a.example.com', 'example.com'],
  ['x.y.z.example.com', 'example.com'],
  ['example.com', 'example.com'],
  ['shop.example.co.uk', 'example.co.uk'],
  ['b.shop.example.com.au', 'example.com.au'],
  ['example.de', 'example.de'],
  ['www.in.example.de', 'example.de'],
  ['a.localhost', 'a.localhost'],
  ['localhost', 'localhost'],
  ['127.0.0.1', '127.0.0.1'],
  ['[::1]', '[::1]'],
  ['one.vercel.app', 'vercel.app'],
])('default: %s belongs to %s', (hostname, domain) => {
  expect(registrableDomain(hostname)).toBe(domain)
})
