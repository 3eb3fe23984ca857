export { type DemoResult, runDemo } from './runDemo.ts'
export { type Service, startService } from './startService.ts'
