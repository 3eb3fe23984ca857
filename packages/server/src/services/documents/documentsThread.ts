// Entry point of the worker thread that `createDocumentParser` starts.
import { serveThread } from '../../lib/thread/serveThread.ts'
import { yieldPriority } from '../../lib/thread/yieldPriority.ts'
import { PARSERS } from './parsers.ts'

yieldPriority()
serveThread(PARSERS)
