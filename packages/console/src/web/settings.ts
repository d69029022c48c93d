import type { AuditStore } from '../ledger/store.ts'
import type { Application } from './applications.ts'
import type { BrandSettings } from './brand.ts'
import type { Customers } from './customer-directory.ts'
import type { MayErase, RoleOf } from './sign-in/roles.ts'
import type { UseInWords } from './use-words.ts'
import type { Languages } from './words/languages.ts'

/** Options that every feature may read, checked and with the defaults. */
export interface Settings {
  readonly applications: readonly Application[]
  readonly audit: AuditStore
  readonly clientId: string
  readonly customers: Customers
  readonly issueAs: string
  readonly role: RoleOf
  readonly mayErase: MayErase | undefined
  readonly path: string
  /** The public origin of the console. */
  readonly url: string
  /** Seconds. */
  readonly durations: readonly number[]
  /** The source of the pattern, and the pattern as it is tested: for the whole number. */
  readonly ticketPattern: { readonly source: string; readonly whole: RegExp } | undefined
  readonly ticketExample: string | undefined
  readonly ticketUrl: ((ticket: string) => string) | undefined
  readonly account:
    | {
        readonly clientId: string
        readonly path: string
        readonly describe?: UseInWords | undefined
      }
    | undefined
  /** Seconds. */
  readonly auditTimeout: number
  readonly languages: Languages
  readonly brand: BrandSettings | undefined
}
