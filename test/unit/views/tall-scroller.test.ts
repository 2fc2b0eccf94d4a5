/** Scrolling a document that is taller than an element can be: movements near and far, both ends, and places gone to. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { TallScroller } from "../../../webview/trajectory/tall-scroller";

/** An element of 1,000 px that can be scrolled over `height`, as a browser clamps it. */
function fakeElement(height: number) {
  let top = 0;
  return { told: 0, dispatchEvent() { this.told++; }, clientHeight: 1000, scrollHeight: height, get scrollTop() { return top; }, set scrollTop(value: number) { top = Math.max(0, Math.min(value, height - 1000)); } };
}

const cap = 100_000;
const make = (total: number) => {
  const element = fakeElement(Math.min(total, cap));
  const tall = new TallScroller(() => element as unknown as HTMLElement, cap);
  tall.layout(total);
  const wheel = (by: number) => {
    element.scrollTop += by;
    tall.scrolled();
    return tall.scrollTop;
  };
  return { element, tall, wheel };
};

test("up to the tallest element it is the element and nothing else", () => {
  const { element, tall, wheel } = make(90_000);
  assert.deepEqual(tall.layout(90_000), { ahead: 0, height: 90_000 });
  tall.scrollTop = 42_000;
  assert.equal(element.scrollTop, 42_000);
  assert.equal(wheel(30_000), 72_000);
  assert.equal(tall.scrollHeight, 90_000);
});

test("small movements are as long in the document as on the screen, from one end to the other", () => {
  const { tall, wheel, element } = make(1_000_000);
  let before = tall.scrollTop;
  let steps = 0;
  for (; before < 999_000 && steps < 3000; steps++) {
    const top = wheel(400);
    assert.ok(Math.abs(top - before - 400) <= 1 || top === 999_000, `${before} to ${top}`);
    // What is laid out holds the screen.
    const { ahead, height } = tall.layout(1_000_000);
    assert.ok(top - ahead >= 0 && top - ahead <= height - 1000);
    before = top;
  }
  assert.equal(steps, Math.ceil(999_000 / 400));
  assert.equal(element.scrollTop, cap - 1000);
  for (; before > 0 && steps < 6000; steps++) before = wheel(-400);
  assert.deepEqual([before, element.scrollTop], [0, 0]);
});

test("the scroll bar goes through the whole document, and places gone to are reached", () => {
  const { element, tall } = make(10_000_000);
  element.scrollTop = (cap - 1000) / 2;
  tall.scrolled();
  assert.ok(Math.abs(tall.scrollTop - 9_999_000 / 2) < 200, `${tall.scrollTop}`);
  element.scrollTop = cap;
  tall.scrolled();
  assert.equal(tall.scrollTop, 9_999_000);
  for (const top of [0, 5, 1234, 5_000_000, 9_998_999, 9_999_000]) {
    tall.scrollTop = top;
    assert.equal(tall.scrollTop, top);
    // The browser tells of it; nothing moves.
    tall.scrolled();
    assert.equal(tall.scrollTop, top);
    tall.scrollTop += 120;
    assert.equal(tall.scrollTop, Math.min(9_999_000, top + 120));
  }
  tall.scrollTop = tall.scrollHeight;
  assert.equal(tall.scrollTop, 9_999_000);
});

test("a movement that leaves the element where it is is told all the same", () => {
  const { element, tall } = make(10_000_000);
  tall.scrollTop = 50_000;
  const own = element.scrollTop;
  assert.equal(element.told, 0);
  tall.scrollTop = 100_000;
  assert.deepEqual([element.scrollTop, tall.scrollTop, element.told], [own, 100_000, 1]);
});

test("a document that grows past the bound is scaled from then on, where the reader stands", () => {
  const { element, tall } = make(90_000);
  tall.scrollTop = 80_000;
  element.scrollHeight = cap;
  tall.layout(400_000);
  tall.scrolled();
  assert.equal(tall.scrollTop, 80_000);
  assert.equal(tall.scrollHeight, 400_000);
});

test("another stretch of the document is to be drawn anew, and an edge that growth has made is left without a scroll", () => {
  const { tall, element } = make(1_000_000);
  tall.scrollTop = 999_000;
  assert.ok(tall.isMoved);
  tall.layout(1_000_000);
  assert.ok(!tall.isMoved);
  // 50,000 px more below the reader, who stands at the element's end.
  tall.layout(1_050_000);
  tall.scrolled();
  assert.ok(tall.isMoved);
  // 4 × 4,000 px of room.
  assert.deepEqual([tall.scrollTop, element.scrollTop], [999_000, 99_000 - 16_000]);
  tall.layout(1_050_000);
  tall.scrolled();
  assert.ok(!tall.isMoved);
});

test("padding of the element is the document's too", () => {
  const { tall, element } = make(1_000_000);
  element.scrollHeight = cap + 8;
  assert.equal(tall.scrollHeight, 1_000_008);
});
