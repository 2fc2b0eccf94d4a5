/** In the place of `linkify-it` in the views' bundle: bare addresses in prose are left as they are, so the parser never asks for any. */
export class LinkifyIt {}
