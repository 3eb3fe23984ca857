import { register } from 'node:module'

register('./resolveHere.mjs', import.meta.url)
