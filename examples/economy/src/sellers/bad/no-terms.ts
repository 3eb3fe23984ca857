import type { SellerSpec } from '../types.ts'

const PAGE = '<!doctype html><title>402 Payment Required</title><h1>Payment required</h1>\n'

/** Responds 402 with an HTML page and no payment terms. */
export const noTerms: SellerSpec = {
  id: 'no-terms',
  character: 'no-terms',
  title: 'Academic papers',
  category: 'data',
  method: 'GET',
  path: '/papers',
  priceUsd: '0.01',
  receiver: { index: 113, past: 'none' },
  listing: { index402: { version: 1, health: 'degraded' } },
  expected: { guard: 'refuses', why: 'a 402 without terms cannot be judged or paid' },
  create: () => ({
    handle: (_request, response) => {
      response.writeHead(402, { 'content-type': 'text/html; charset=utf-8' }).end(PAGE)
    },
  }),
}
