import { expect, test } from 'vitest'
import { describeInstall } from './describeInstall.mjs'

const ARCHIVES = ['/home/me/my-agent/one-0.1.0.tgz', '/home/me/my-agent/two-0.1.0.tgz']

test('default: installs the archives in their order, in the folder that holds them', () => {
  expect(describeInstall('/home/me/my-agent', '/home/me/touchstone', ARCHIVES)).toBe(
    'cd ../my-agent && npm install ./one-0.1.0.tgz ./two-0.1.0.tgz @x402/fetch @x402/evm viem tsx',
  )
})

test('behavior: changes no folder if the archives are in the one of the caller', () => {
  expect(describeInstall('/home/me/my-agent', '/home/me/my-agent', ARCHIVES)).toMatch(/^npm install \.\/one/)
})

test.each([
  ['/home/me/my agent', "cd 'my agent' && "],
  ["/home/me/it's", "cd 'it'\\''s' && "],
])('behavior: quotes %s for the shell', (folder, start) => {
  expect(describeInstall(folder, '/home/me', [])).toBe(`${start}npm install @x402/fetch @x402/evm viem tsx`)
})
