import { createApp, defineComponent, h, ref } from 'vue'
import { useImpersonation } from './use-impersonation.js'

const Orders = defineComponent({
  props: ['session'],
  setup({ session }) {
    const orders = ref('')
    session
      .fetch('https://api.example.com/orders')
      .then((response) => response.text())
      .then(
        (text) => {
          orders.value = text
        },
        (error) => {
          orders.value = error.message
        },
      )
    return () => h('pre', orders.value)
  },
})

const Shop = defineComponent(() => {
  const impersonation = useImpersonation()
  return () => {
    const { isReady, session, isOver, error } = impersonation.value
    if (!isReady) return h('p', 'One moment.')
    if (error) return h('p', { role: 'alert' }, error.message)
    if (!session) return h('p', 'Sign in to see your orders.')
    return [h('impersonation-banner', { session }), isOver ? null : h(Orders, { session })]
  }
})

createApp(Shop).mount('#shop')
