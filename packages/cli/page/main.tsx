import { render } from 'preact'
import { App } from './app.js'
import { takeToken } from './token.js'
import './styles.css'

takeToken()

const place = document.getElementById('app')
if (place) {
  place.replaceChildren()
  render(<App />, place)
}
