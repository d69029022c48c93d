import { account } from './de/account.ts'
import { audit } from './de/audit.ts'
import { frame } from './de/frame.ts'
import { notices } from './de/notices.ts'
import { operators } from './de/operators.ts'
import { permits } from './de/permits.ts'
import { problems } from './de/problems.ts'
import { running } from './de/running.ts'
import type { Words } from './words.ts'

export const de: Words = { frame, operators, running, audit, account, notices, permits, problems }
