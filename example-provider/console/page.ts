import { type Html, html } from '../http/page.ts'
import { actView } from './views/act.ts'
import { auditView } from './views/audit.ts'
import { customersView } from './views/customers.ts'
import { frontViews } from './views/front.ts'
import { insideView } from './views/inside.ts'
import { reasonView } from './views/reason.ts'

/**
 * The support console: one page with all its views, of which `browser/console.js` shows one. It has
 * to be one page, because tokens are kept in its memory and nowhere else.
 */
export function consolePage(demonstration: boolean, password: string): Html {
  return html`<a class="skip" href="#content">Skip to the content</a>
<aside id="banner" class="banner" aria-label="Impersonation" hidden>
<p><strong>You are acting as <span data-slot="name"></span></strong>, ticket <span data-slot="ticket"></span>,
<span role="timer"><b data-slot="left"></b> left</span></p>
<button type="button" data-slot="end">End</button>
</aside>
<div id="countdown-said" role="status" class="visually-hidden"></div>
<header class="container">
<nav aria-label="Console">
<ul><li><strong>Support console</strong></li></ul>
<ul id="links" class="links" data-slot="links" hidden>
<li><a href="#customers">Customers</a></li>
<li class="acting" hidden><a href="#act">Orders</a></li>
<li class="acting" hidden><a href="#inside">Look inside</a></li>
<li><a href="#audit">Audit</a></li>
<li><span id="operator"></span></li>
<li><button type="button" id="sign-out" class="secondary outline small">Sign out</button></li>
</ul>
</nav>
</header>
<main class="container page" id="content" tabindex="-1">
<noscript><p role="alert">This console runs in your browser, so that tokens stay in its memory: it needs JavaScript.</p></noscript>
<div id="message" role="alert"></div>
<template id="message-text"><article class="message"><p data-slot="text"></p><p class="actions" data-slot="actions"></p></article></template>
<template id="message-action"><button type="button" class="small"></button></template>
${frontViews(demonstration, password)}
${customersView}
${reasonView}
${actView}
${insideView}
${auditView}
</main>`
}
