/** @jsxImportSource react */
// A page of MUI with its defaults: an AppBar, and a Dialog that a test opens.
import { AppBar, Button, Dialog, DialogTitle, Toolbar } from '@mui/material'
import { useState } from 'react'
import { createRoot } from 'react-dom/client'

function Header() {
  const [isOpen, setOpen] = useState(false)
  globalThis.openDialog = () => setOpen(true)
  return (
    <>
      <AppBar>
        <Toolbar>
          <Button color="inherit">Shop</Button>
        </Toolbar>
      </AppBar>
      <Dialog open={isOpen} onClose={() => setOpen(false)}>
        <DialogTitle>Delete the order?</DialogTitle>
      </Dialog>
    </>
  )
}

createRoot(document.querySelector('#mui')).render(<Header />)
