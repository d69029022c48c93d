import type { audit as english } from '../en/audit.ts'
import type { Translated } from '../words.ts'

export const audit: Translated<typeof english> = {}
