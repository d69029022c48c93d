import { html } from '../http/page.ts'

/** The page that the customer sees, loaded with the impersonated token. */
export const actView = html`
<section id="view-act" data-view hidden>
<h1 tabindex="-1">Orders of <span data-slot="name"></span></h1>
<p role="status" data-slot="loading" aria-busy="true">Asking the Orders API…</p>
<div id="orders" class="cards"></div>
<p data-slot="no-orders" hidden>There are no orders.</p>
<p><button type="button" class="secondary outline small" data-slot="refresh">Ask again</button></p>

<h2>E-mail address</h2>
<p>A change that is for the customer in person. Try it: the API refuses it to an operator,
whatever the token allows.</p>
<form id="email-form" class="form" novalidate>
<label for="email">New e-mail address</label>
<input id="email" type="email" maxlength="254" autocomplete="off" required aria-describedby="email-problem">
<small id="email-problem" class="problem"></small>
<button type="submit" class="fit" data-slot="submit">Change the e-mail address</button>
</form>

<template id="order">
<article>
<header><strong data-slot="item"></strong> <span class="badge" data-slot="status"></span></header>
<p><code data-slot="id"></code> <span data-slot="total"></span></p>
<p data-slot="note" hidden>Delivery note: <q data-slot="note-text"></q></p>
<p data-slot="changed" hidden><small>Changed by <span data-slot="changed-by"></span></small></p>
</article>
</template>
<template id="note-form">
<form novalidate>
<fieldset role="group">
<input data-slot="note-input" maxlength="200" autocomplete="off" placeholder="Leave it next door">
<button type="submit" class="fit" data-slot="save">Save the note</button>
</fieldset>
</form>
</template>
<template id="read-only"><p><small>This impersonation is read-only: <code>orders:write</code> was not asked for.</small></p></template>
</section>`
