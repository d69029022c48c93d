import type { AuditStore } from '../ledger/store.ts'
import type { Application } from './applications.ts'
import type { BrandSettings } from './brand.ts'
import type { Customers } from './customer-directory.ts'
import type { MayErase, RoleOf } from './sign-in/roles.ts'
import type { TicketOptions } from './ticket.ts'
import type { UseInWords } from './use-words.ts'
import type { Languages } from './words/languages.ts'

/** The page on which customers see who acted as them. */
export interface AccountOptions {
  /** The public client of the page, which `customerAccountClient({ url })` makes. */
  readonly clientId: string
  /** The path of the page. @defaultValue `'/account'` */
  readonly path?: string | undefined
  /**
   * Returns the words for a request, such as *Looked at your orders*, or `undefined` to hide it
   * here. If it throws or returns no text, the page counts the request.
   * @defaultValue the page counts reads and changes
   */
  readonly describe?: UseInWords | undefined
}

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
  readonly ticket: TicketOptions
  readonly account: (AccountOptions & { readonly path: string }) | undefined
  /** Seconds. */
  readonly auditTimeout: number
  readonly languages: Languages
  readonly brand: BrandSettings | undefined
}
