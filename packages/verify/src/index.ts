export { Broken } from './verify/broken.ts'
export { readLines } from './verify/lines.ts'
export { summaryOf } from './verify/summary.ts'
export { type Verification, verify } from './verify/verification.ts'
