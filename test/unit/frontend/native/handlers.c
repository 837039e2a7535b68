/* Handlers for test_ffi.py: plain C, against the headers that come with jaxlib. */

#include <stdio.h>
#include <string.h>

#include "xla/ffi/api/c_api.h"

static int says_version(XLA_FFI_CallFrame* frame) {
  for (__typeof__(frame->extension_start) e = frame->extension_start; e; e = e->next) {
    if (e->type != XLA_FFI_Extension_Metadata) continue;
    XLA_FFI_Metadata* metadata = ((XLA_FFI_Metadata_Extension*)e)->metadata;
    metadata->api_version.major_version = XLA_FFI_API_MAJOR;
    metadata->api_version.minor_version = XLA_FFI_API_MINOR;
    return 1;
  }
  return 0;
}

static XLA_FFI_Error* refuse(XLA_FFI_CallFrame* frame, const char* message) {
  XLA_FFI_Error_Create_Args args = {0};
  args.struct_size = XLA_FFI_Error_Create_Args_STRUCT_SIZE;
  args.message = message;
  args.errc = XLA_FFI_Error_Code_INVALID_ARGUMENT;
  return frame->api->XLA_FFI_Error_Create(&args);
}

static int64_t size(const XLA_FFI_Buffer* x) {
  int64_t n = 1;
  for (int64_t i = 0; i < x->rank; i++) n *= x->dims[i];
  return n;
}

/* The position of an attribute, or -1. */
static int64_t find(XLA_FFI_CallFrame* frame, const char* name) {
  for (int64_t i = 0; i < frame->attrs.size; i++) {
    const XLA_FFI_ByteSpan* span = frame->attrs.names[i];
    if (span->len == strlen(name) && !memcmp(span->ptr, name, span->len)) return i;
  }
  return -1;
}

/* y = factor x, for f32 and f64; `factor` is an f64. */
XLA_FFI_Error* scale(XLA_FFI_CallFrame* frame) {
  if (says_version(frame)) return NULL;
  if (frame->args.size != 1 || frame->rets.size != 1) return refuse(frame, "scale: one array");
  const XLA_FFI_Buffer *x = frame->args.args[0], *y = frame->rets.rets[0];
  int64_t at = find(frame, "factor");
  if (at < 0 || frame->attrs.types[at] != XLA_FFI_AttrType_SCALAR)
    return refuse(frame, "scale: needs a factor");
  const XLA_FFI_Scalar* factor = frame->attrs.attrs[at];
  if (factor->dtype != XLA_FFI_DataType_F64) return refuse(frame, "scale: factor must be an f64");
  if (x->dtype != y->dtype || size(x) != size(y))
    return refuse(frame, "scale: the result is not like the operand");
  double by = *(double*)factor->value;
  for (int64_t i = 0; i < size(x); i++) {
    if (x->dtype == XLA_FFI_DataType_F32) ((float*)y->data)[i] = by * ((float*)x->data)[i];
    else if (x->dtype == XLA_FFI_DataType_F64) ((double*)y->data)[i] = by * ((double*)x->data)[i];
    else return refuse(frame, "scale: takes f32 and f64");
  }
  return NULL;
}

/* Two results of the sum and of the difference of two f64 arrays. */
XLA_FFI_Error* sum_and_difference(XLA_FFI_CallFrame* frame) {
  if (says_version(frame)) return NULL;
  const XLA_FFI_Buffer *x = frame->args.args[0], *y = frame->args.args[1];
  const XLA_FFI_Buffer *s = frame->rets.rets[0], *d = frame->rets.rets[1];
  for (int64_t i = 0; i < size(x); i++) {
    double a = ((double*)x->data)[i], b = ((double*)y->data)[i];
    ((double*)s->data)[i] = a + b;
    ((double*)d->data)[i] = a - b;
  }
  return NULL;
}

/* How many times the next handler has run. */
static int64_t calls = 0;
int64_t number_of_calls(void) { return calls; }

XLA_FFI_Error* count(XLA_FFI_CallFrame* frame) {
  if (says_version(frame)) return NULL;
  calls++;
  const XLA_FFI_Buffer *x = frame->args.args[0], *y = frame->rets.rets[0];
  memcpy(y->data, x->data, size(x) * sizeof(double));
  return NULL;
}

static const char* of_number(XLA_FFI_DataType dtype, const void* data, char* to, size_t n) {
  switch (dtype) {
    case XLA_FFI_DataType_PRED: snprintf(to, n, "pred %d", *(const int8_t*)data); break;
    case XLA_FFI_DataType_S8: snprintf(to, n, "s8 %d", *(const int8_t*)data); break;
    case XLA_FFI_DataType_S32: snprintf(to, n, "s32 %d", *(const int32_t*)data); break;
    case XLA_FFI_DataType_S64: snprintf(to, n, "s64 %lld", (long long)*(const int64_t*)data); break;
    case XLA_FFI_DataType_U8: snprintf(to, n, "u8 %d", *(const uint8_t*)data); break;
    case XLA_FFI_DataType_U64:
      snprintf(to, n, "u64 %llu", (unsigned long long)*(const uint64_t*)data);
      break;
    case XLA_FFI_DataType_F32: snprintf(to, n, "f32 %g", *(const float*)data); break;
    case XLA_FFI_DataType_F64: snprintf(to, n, "f64 %g", *(const double*)data); break;
    default: snprintf(to, n, "dtype %d", dtype);
  }
  return to;
}

/* Refuses, and says what the attribute `what` is, so that a test can read it. */
XLA_FFI_Error* describe(XLA_FFI_CallFrame* frame) {
  if (says_version(frame)) return NULL;
  int64_t at = find(frame, "what");
  if (at < 0) return refuse(frame, "nothing");
  char text[200] = "", one[50];
  const void* attribute = frame->attrs.attrs[at];
  if (frame->attrs.types[at] == XLA_FFI_AttrType_SCALAR) {
    const XLA_FFI_Scalar* scalar = attribute;
    snprintf(text, sizeof text, "scalar %s", of_number(scalar->dtype, scalar->value, one, 50));
  } else if (frame->attrs.types[at] == XLA_FFI_AttrType_STRING) {
    const XLA_FFI_ByteSpan* span = attribute;
    snprintf(text, sizeof text, "string %.*s", (int)span->len, span->ptr);
  } else if (frame->attrs.types[at] == XLA_FFI_AttrType_DICTIONARY) {
    snprintf(text, sizeof text, "dictionary of %d", (int)((const XLA_FFI_Attrs*)attribute)->size);
  } else {
    const XLA_FFI_Array* array = attribute;
    size_t width = array->dtype == XLA_FFI_DataType_U8 || array->dtype == XLA_FFI_DataType_S8 ? 1
                   : array->dtype == XLA_FFI_DataType_F32 || array->dtype == XLA_FFI_DataType_S32 ? 4
                                                                                                  : 8;
    size_t used = snprintf(text, sizeof text, "array of %zu:", array->size);
    for (size_t i = 0; i < array->size && used < sizeof text - 60; i++)
      used += snprintf(text + used, sizeof text - used, " %s",
                       of_number(array->dtype, (const char*)array->data + i * width, one, 50));
  }
  return refuse(frame, text);
}
