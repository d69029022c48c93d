import type { running as english } from '../en/running.ts'
import type { Translated } from '../words.ts'

export const running: Translated<typeof english> = {}
