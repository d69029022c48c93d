export { Broken } from './verify/broken.ts'
export { type Verification, verify } from './verify/verification.ts'
