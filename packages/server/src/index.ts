export { type App, type AppOptions, startApp, startWorker, type Worker } from './app.ts'
export { type Config, type DirectoryConfig, readConfig } from './config.ts'
export type { CrawlProgress } from './jobs/crawlProgress.ts'
export type { Clock } from './ports/clock.ts'
