// What tells somebody who looks elsewhere: the number of what waits in the page's title, a browser notice and a sound.
//
// 1. The title has the number in front, whoever else writes the title.
// 2. A browser notice comes when something new waits and nobody looks at this page. It is off until a button is pressed,
//    which is when the browser is asked whether it may. It says how many wait, and nothing of what they ask for: it lies
//    on a screen that others see.
// 3. The sound is off until it is chosen. It is made here, from no file.
// What was chosen is kept in this browser.

import { several } from "./words.js";

const NOTICES = "assent-inbox-notices";
const SOUND = "assent-inbox-sound";
const NUMBER = /^\(\d+\) /;
const TONE = { hertz: 660, seconds: 0.18, gain: 0.06 };

export const titled = (title, count) => (count > 0 ? `(${count}) ` : "") + title.replace(NUMBER, "");

export class Alerts {
  /** `around` is the window; a test brings its own. */
  constructor(around) {
    this.around = around;
    this.waiting = 0;
    this.title = new around.MutationObserver(() => this.write());
    this.title.observe(around.document.head, { childList: true, subtree: true, characterData: true });
  }

  /** `on`, `off`, `denied` by the browser, or `absent` where it has none. */
  get notices() {
    const { Notification, localStorage } = this.around;
    if (!Notification) return "absent";
    if (Notification.permission === "denied") return "denied";
    return Notification.permission === "granted" && localStorage.getItem(NOTICES) === "on" ? "on" : "off";
  }

  get sound() {
    return this.around.localStorage.getItem(SOUND) === "on";
  }

  /** After a press only. */
  async switchNotices() {
    const { Notification, localStorage } = this.around;
    if (this.notices === "absent") return;
    const on = this.notices !== "on" && (await Notification.requestPermission()) === "granted";
    localStorage.setItem(NOTICES, on ? "on" : "off");
  }

  switchSound(on) {
    this.around.localStorage.setItem(SOUND, on ? "on" : "off");
    if (on) this.play();
  }

  /** How many wait now. */
  count(waiting) {
    this.waiting = waiting;
    this.write();
  }

  /** Something new waits. */
  came() {
    if (this.sound) this.play();
    const { document, Notification } = this.around;
    if (this.notices !== "on" || (document.visibilityState === "visible" && document.hasFocus())) return;
    // One with the tag of another takes its place.
    const notice = new Notification("Assent", { body: `${several(this.waiting, "request waits", "requests wait")}`, tag: "assent-inbox" });
    notice.onclick = () => {
      this.around.focus();
      notice.close();
    };
  }

  play() {
    const { AudioContext } = this.around;
    if (!AudioContext) return;
    this.audio ||= new AudioContext();
    if (this.audio.state === "suspended") this.audio.resume().catch(() => {});
    const [tone, gain] = [this.audio.createOscillator(), this.audio.createGain()];
    tone.frequency.value = TONE.hertz;
    gain.gain.value = TONE.gain;
    tone.connect(gain).connect(this.audio.destination);
    tone.start();
    tone.stop(this.audio.currentTime + TONE.seconds);
  }

  write() {
    const { document } = this.around;
    const wanted = titled(document.title, this.waiting);
    if (document.title !== wanted) document.title = wanted;
  }

  end() {
    this.title.disconnect();
    this.waiting = 0;
    this.write();
    this.audio?.close().catch(() => {});
  }
}
