export { Broken } from './verify/broken.ts'
export type { Verification } from './verify/summary.ts'
export { verify } from './verify/verification.ts'
