import { register } from 'node:module'
import './localNames.mjs'

register('./resolveHere.mjs', import.meta.url)
