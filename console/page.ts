import type { Application } from './http/application.ts'
import { html } from './http/page.ts'
import type { CustomerApplication } from './pages.ts'
import { actView } from './views/act.ts'
import { auditView } from './views/audit.ts'
import { customersView } from './views/customers.ts'
import { frontViews } from './views/front.ts'
import { insideView } from './views/inside.ts'
import { reasonView } from './views/reason.ts'

const banner = html`<aside id="banner" class="banner" aria-label="Impersonation" hidden>
<p><strong>You are acting as <span data-slot="name"></span></strong>, ticket <span data-slot="ticket"></span>,
<span role="timer"><b data-slot="left"></b> left</span></p>
<button type="button" data-slot="end">End</button>
</aside>
<div id="countdown-said" role="status" class="visually-hidden"></div>`

const links = html`<li><a href="#customers">Customers</a></li>
<li class="acting" hidden><a href="#act">Orders</a></li>
<li class="acting" hidden><a href="#inside">Look inside</a></li>
<li><a href="#audit">Audit</a></li>
<li><span id="operator"></span></li>`

/**
 * The support console: one page with all views. `browser/console.js` shows one view at a time. It
 * must be one page, because tokens are only in its memory.
 *
 * @param password the password that a demonstration shows
 */
export function consolePage(
  password: string | undefined,
  application: CustomerApplication | undefined,
): Application {
  return {
    title: 'Support console',
    module: 'console.js',
    banner,
    links,
    views: html`${frontViews(password)}
${customersView}
${reasonView(application)}
${actView}
${insideView}
${auditView}`,
  }
}
