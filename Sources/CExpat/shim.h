// libexpat for Swift.
#pragma once
#include <expat.h>
