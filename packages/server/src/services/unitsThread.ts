// Entry point of the worker thread that `createUnitThread` starts.
import { workerData } from 'node:worker_threads'
import { serveThread } from '../lib/thread/serveThread.ts'
import { DERIVATION } from '../publish/derivation.ts'
import { openCounter, openWriter } from '../store/sqlite.ts'
import type { UnitMethods, UnitThreadData } from '../store/unitThread.ts'

const { path, isCounter }: UnitThreadData = workerData
const units = isCounter ? openCounter(path, DERIVATION) : openWriter(path, DERIVATION)
const methods: UnitMethods = { run: ({ name, args }) => units.run(name, args) }
serveThread(methods, units.close)
