import type { Application } from '../http/application.ts'
import { html } from '../http/page.ts'

/**
 * The account page of a customer: who acted as them, and when. `browser/account.js` runs in it.
 *
 * @param password the password that a demonstration shows
 */
export function customerAccount(password: string | undefined): Application {
  const who =
    password &&
    html`<p>Sign in as <b>alice</b>, a customer, with the password <code>${password}</code>.</p>`
  return {
    title: 'Your account',
    module: 'account.js',
    links: html`<li><span id="customer"></span></li>`,
    views: html`<section id="view-signed-out" data-view hidden>
<h1 tabindex="-1">Your account</h1>
<p>When our support staff act as you, to help you, you see it here: who it was, when, and for how long.</p>
${who}
<p class="actions"><button type="button" data-slot="sign-in">Sign in</button></p>
</section>

<section id="view-account" data-view hidden>
<h1 tabindex="-1">Who acted as you</h1>
<p>Our support staff can act as you for a few minutes, for a ticket of yours. They can never change your
e-mail address, and you can end it at any time.</p>
<div data-slot="now" hidden>
<h2>Acting as you now</h2>
<div id="running" class="cards"></div>
<h2>Until now</h2>
</div>
<div class="overflow-auto" role="region" aria-label="Who acted as you" tabindex="0" data-slot="list" hidden>
<table>
<thead><tr><th scope="col">When</th><th scope="col">Who</th><th scope="col">Ticket</th><th scope="col">What they could do</th><th scope="col">How long</th></tr></thead>
<tbody id="entries"></tbody>
</table>
</div>
<p role="status" data-slot="count"></p>
<p class="actions">
<button type="button" class="secondary outline small" data-slot="refresh">Look again</button>
<button type="button" class="secondary outline small" data-slot="older" hidden>Show older ones</button>
</p>
<template id="running-card"><article><p><b data-slot="who"></b> acts as you since <time data-slot="since"></time>, for ticket <b data-slot="ticket"></b>. What they can do: <span data-slot="what"></span>. It ends by itself: <time data-slot="until"></time> at the latest.</p><button type="button" class="small" data-slot="end">End it</button></article></template>
<template id="entry"><tr><td><time data-slot="time"></time></td><td data-slot="who"></td><td data-slot="ticket"></td><td data-slot="what"></td><td data-slot="how-long"></td></tr></template>
</section>`,
  }
}
